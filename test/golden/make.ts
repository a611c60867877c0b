/**
 * Writes the golden logs of this release: `npx node test/golden/make.ts`, then `npx biome format --write test/golden`. Those
 * of a release that is out are never written again: what it left in its users' stores does not change either.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { keep } from './golden-log.ts';
import { play, STORIES } from './stories.ts';

const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
const folder = join(import.meta.dirname, version);
await mkdir(folder, { recursive: true });
for (const name of Object.keys(STORIES)) {
  const { rt, run } = await play(name);
  const golden = await keep(rt, run);
  await writeFile(join(folder, `${name}.json`), `${JSON.stringify(golden, null, 2)}\n`);
  const last = golden.commits.at(-1)?.events.at(-1) as { type?: string } | undefined;
  process.stdout.write(`${name}: ${golden.commits.length} commits, ends with ${last?.type}\n`);
}

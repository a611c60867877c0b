import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Library } from './fault-stage.ts';

/** An edit of the source: in one file, one passage that must stand there exactly once, and what replaces it. */
export interface Edit {
  readonly file: string;
  readonly passage: string;
  readonly replacement: string;
}

const ROOT = join(import.meta.dirname, '..', '..');

/** Copies `lib/` below the project, mutates the copy, and gives what `use` does with it; the copy goes away. */
export async function withMutation<T>(
  edits: readonly Edit[],
  use: (library: Library) => Promise<T>,
): Promise<T> {
  const parent = join(ROOT, '.cache', 'mutants');
  await mkdir(parent, { recursive: true });
  const copy = await mkdtemp(join(parent, 'lib-'));
  try {
    await cp(join(ROOT, 'lib'), copy, { recursive: true });
    for (const edit of edits) await apply(copy, edit);
    return await use((await import(pathToFileURL(join(copy, 'runtime/take-step.ts')).href)) as Library);
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

async function apply(copy: string, { file, passage, replacement }: Edit): Promise<void> {
  const path = join(copy, file);
  const source = await readFile(path, 'utf8');
  const places = source.split(passage).length - 1;
  if (places !== 1) {
    throw new Error(
      `expected the passage of the mutation once in lib/${file}, found it ${places} times: ${passage}`,
    );
  }
  await writeFile(
    path,
    source.replace(passage, () => replacement),
  );
}

/** Writes the logs of this release beside this file: `npx node test/golden/write-logs.ts`. Earlier ones are never written anew. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fold } from '../../lib/core/fold.ts';
import { tellStories } from './tell-stories.ts';

for (const [title, events] of await tellStories()) {
  const path = join(import.meta.dirname, 'logs', `0.1-${title.replaceAll(/[^a-z]+/g, '-')}.json`);
  if (existsSync(path)) continue;
  writeFileSync(path, `${JSON.stringify({ title, events, state: fold(events) }, undefined, 1)}\n`);
}

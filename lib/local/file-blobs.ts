import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { StepfoldError, unavailable } from '../core/errors.ts';
import type { Blobs } from '../ports/blobs.ts';
import type { RunKey } from '../ports/run-key.ts';
import { dataNotWritable } from './data-not-writable.ts';
import { fsyncDirectory } from './fsync-directory.ts';

/**
 * Payloads as files `<root>/<tenant>/<run>/<sha256>`, each written whole in `<root>.drafts` and then renamed. Drafts that
 * an earlier process left are removed: nobody else may be at work there.
 *
 * @throws StepfoldError `data_not_writable`
 */
export function fileBlobs(root: string): Blobs {
  const drafts = `${root}.drafts`;
  emptyDirectory(drafts);
  return {
    async put(run, sha256, bytes) {
      const path = pathOf(root, run, sha256);
      try {
        await mkdir(dirname(path), { recursive: true });
        await writeDurably(path, bytes, join(drafts, randomUUID()));
        const above = [dirname(path), dirname(dirname(path)), root];
        await Promise.all(above.map(fsyncDirectory));
      } catch (cause) {
        throw unavailable('the blob directory', cause);
      }
    },

    async get(run, sha256) {
      try {
        return new Uint8Array(await readFile(pathOf(root, run, sha256)));
      } catch (cause) {
        if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw cause instanceof StepfoldError ? cause : unavailable('the blob directory', cause);
      }
    },
  };
}

function emptyDirectory(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
    mkdirSync(path, { recursive: true });
  } catch (cause) {
    throw dataNotWritable(path, cause as Error);
  }
}

/** A reader sees the whole file or none, at whatever instant the process dies. */
async function writeDurably(path: string, bytes: Uint8Array, draft: string): Promise<void> {
  try {
    const handle = await open(draft, 'wx');
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** Names come validated; they are checked once more, because a path is made of them. */
function pathOf(root: string, { tenant, runId }: RunKey, sha256: string): string {
  for (const name of [tenant, runId, sha256]) {
    if (name === '' || name === '.' || name === '..' || /[/\\\0]/.test(name)) {
      throw new StepfoldError(
        'bad_key',
        `expected a tenant, a run id or a hash that can name a file; got ${JSON.stringify(name.slice(0, 80))}`,
      );
    }
  }
  return join(root, tenant, runId, sha256);
}

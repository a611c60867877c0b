import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { fileBlobs } from '../../lib/local/file-blobs.ts';
import { openLocalWorld } from '../../lib/local/local-world.ts';
import { testDirectory } from './directory.ts';

const RUN = { tenant: 'tenant', runId: 'run' };
const HASH = 'a'.repeat(64);

test('a payload is a file named by tenant, run and hash, with nothing beside it', async () => {
  const root = join(await testDirectory(), 'blobs');
  await fileBlobs(root).put(RUN, HASH, Buffer.from('text'));
  expect(await readdir(root, { recursive: true })).toEqual(['tenant', 'tenant/run', `tenant/run/${HASH}`]);
  expect(await readFile(join(root, 'tenant', 'run', HASH), 'utf8')).toBe('text');
});

test('a put over a damaged file repairs it', async () => {
  const root = join(await testDirectory(), 'blobs');
  const blobs = fileBlobs(root);
  await blobs.put(RUN, HASH, Buffer.from('text'));
  await writeFile(join(root, 'tenant', 'run', HASH), 'te');
  await blobs.put(RUN, HASH, Buffer.from('text'));
  expect(Buffer.from((await blobs.get(RUN, HASH))!).toString()).toBe('text');
});

test.each(['..', '.', '', 'a/b', '../x', 'a\\b', 'a\u0000b'])('the name %j is refused', async (name) => {
  const blobs = fileBlobs(join(await testDirectory(), 'blobs'));
  for (const [run, hash] of [
    [{ ...RUN, tenant: name }, HASH],
    [{ ...RUN, runId: name }, HASH],
    [RUN, name],
  ] as const) {
    await expect(blobs.put(run, hash, Buffer.from(''))).rejects.toMatchObject({ code: 'bad_key' });
    await expect(blobs.get(run, hash)).rejects.toMatchObject({ code: 'bad_key' });
  }
});

test('a directory that cannot be written or read answers as unavailable', async () => {
  const root = join(await testDirectory(), 'blobs');
  await mkdir(root);
  await writeFile(join(root, 'tenant'), 'a file where the directory of a tenant should be');
  await expect(fileBlobs(root).put(RUN, HASH, Buffer.from(''))).rejects.toMatchObject({
    code: 'unavailable',
  });
  await expect(fileBlobs(root).get(RUN, HASH)).rejects.toMatchObject({ code: 'unavailable' });
});

test('a draft that an earlier process left is removed when the world is opened', async () => {
  const dir = await testDirectory();
  await mkdir(join(dir, 'blobs.drafts'));
  await writeFile(join(dir, 'blobs.drafts', 'left'), 'te');
  const local = openLocalWorld({ dir });
  await local.world.blobs.put(RUN, HASH, Buffer.from('text'));
  expect(await readdir(join(dir, 'blobs.drafts'))).toEqual([]);
  expect(await readdir(join(dir, 'blobs'), { recursive: true })).toEqual([
    'tenant',
    'tenant/run',
    `tenant/run/${HASH}`,
  ]);
  await local.close();
});

test('what a kill leaves of a payload that was being written lies among the drafts', async () => {
  const root = join(await testDirectory(), 'blobs');
  await mkdir(root);
  const writing = fileBlobs(root).put(RUN, HASH, Buffer.alloc(50_000_000));
  const seen = new Set<string>();
  for (let done = false; !done; ) {
    for (const name of await readdir(root, { recursive: true })) seen.add(name);
    done = await Promise.race([writing.then(() => true), nextTurn(false)]);
  }
  expect([...seen].sort()).toEqual(['tenant', 'tenant/run', `tenant/run/${HASH}`]);
});

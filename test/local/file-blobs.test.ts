import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fileBlobs } from '../../lib/local/file-blobs.ts';
import { testDirectory } from './directory.ts';

const RUN = { tenant: 'tenant', runId: 'run' };
const HASH = 'a'.repeat(64);

test('a payload is a file named by tenant, run and hash, with nothing beside it', async () => {
  const root = await testDirectory();
  await fileBlobs(root).put(RUN, HASH, Buffer.from('text'));
  expect(await readdir(root, { recursive: true })).toEqual(['tenant', 'tenant/run', `tenant/run/${HASH}`]);
  expect(await readFile(join(root, 'tenant', 'run', HASH), 'utf8')).toBe('text');
});

test('a put over a damaged file repairs it', async () => {
  const root = await testDirectory();
  const blobs = fileBlobs(root);
  await blobs.put(RUN, HASH, Buffer.from('text'));
  await writeFile(join(root, 'tenant', 'run', HASH), 'te');
  await blobs.put(RUN, HASH, Buffer.from('text'));
  expect(Buffer.from((await blobs.get(RUN, HASH))!).toString()).toBe('text');
});

test.each(['..', '.', '', 'a/b', '../x', 'a\\b', 'a\u0000b'])('the name %j is refused', async (name) => {
  const blobs = fileBlobs(await testDirectory());
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
  const root = await testDirectory();
  await writeFile(join(root, 'tenant'), 'a file where the directory of a tenant should be');
  await expect(fileBlobs(root).put(RUN, HASH, Buffer.from(''))).rejects.toMatchObject({
    code: 'unavailable',
  });
  await expect(fileBlobs(root).get(RUN, HASH)).rejects.toMatchObject({ code: 'unavailable' });
});

import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openLocalWorld } from '../../lib/local/local-world.ts';
import { runChild } from './child.ts';
import { testDirectory } from './directory.ts';

/** Starts a process that opens the world, and waits until it holds the lock, whose id it gives. */
async function holdElsewhere(dir: string) {
  const child = runChild('./hold-world.ts', [dir], { nodeArgs: ['--expose-gc'] });
  await child.line();
  child.go();
  return { child, lock: await child.line() };
}

test('a directory that another process uses is refused, naming that process', async () => {
  const dir = await testDirectory();
  const { child } = await holdElsewhere(dir);
  expect(() => openLocalWorld({ dir })).toThrow(
    expect.objectContaining({
      code: 'data_in_use',
      message: expect.stringContaining(`process ${child.pid} is using ${dir}`),
      details: { directory: dir, pid: child.pid },
    }),
  );
  await child.kill();
});

test('a process that is killed frees its directory at once, and the next one has a lock of its own', async () => {
  const dir = await testDirectory();
  const { child, lock } = await holdElsewhere(dir);
  await child.kill();
  const before = Date.now();
  const { world, close } = openLocalWorld({ dir });
  expect(world.fence.margin).toBe(0);
  expect(world.fence.lock!.id).not.toBe(lock);
  expect(world.fence.lock!.since).toBeGreaterThanOrEqual(before);
  await close();
});

test('of two processes that reach for a directory at once exactly one gets it', async () => {
  for (let round = 0; round < 3; round++) {
    const dir = await testDirectory();
    const children = [0, 1].map(() => runChild('./hold-world.ts', [dir]));
    await Promise.all(children.map((child) => child.line()));
    for (const child of children) child.go();
    const answers = await Promise.all(children.map((child) => child.line()));
    expect(answers.filter((answer) => answer === 'data_in_use')).toHaveLength(1);
    expect(answers.filter((answer) => /^[0-9A-Z]{26}$/.test(answer ?? ''))).toHaveLength(1);
    await Promise.all(children.map((child) => child.kill()));
  }
});

test('the same process is refused as well, and that does not free the lock', async () => {
  const dir = await testDirectory();
  const { close } = openLocalWorld({ dir });
  expect(() => openLocalWorld({ dir })).toThrow(expect.objectContaining({ code: 'data_in_use' }));
  const other = await holdElsewhere(dir);
  expect(other.lock).toBe('data_in_use');
  await other.child.ended;
  await close();
  await openLocalWorld({ dir }).close();
});

test('the pid of a dead process is not named, and a note alone holds no lock', async () => {
  const dir = await testDirectory();
  const dead = await holdElsewhere(await testDirectory());
  await dead.child.kill();
  const { child } = await holdElsewhere(dir);
  for (const note of [JSON.stringify({ pid: dead.child.pid }), 'torn']) {
    await writeFile(join(dir, 'lock.json'), note);
    expect(() => openLocalWorld({ dir })).toThrow(/another process is using/);
  }
  await child.kill();
  await writeFile(join(dir, 'lock.json'), JSON.stringify({ pid: process.pid }));
  await openLocalWorld({ dir }).close();
});

test('a path that is a file, or lies below one, is refused', async () => {
  const path = join(await testDirectory(), 'file');
  await writeFile(path, '');
  for (const dir of [path, join(path, 'below')]) {
    expect(() => openLocalWorld({ dir })).toThrow(expect.objectContaining({ code: 'data_not_directory' }));
  }
});

test.each(['.', 'blobs'])('a data directory is refused whose %s cannot be written', async (closed) => {
  const dir = await testDirectory();
  await mkdir(join(dir, 'blobs'));
  await chmod(dir, 0o777);
  await chmod(join(dir, 'blobs'), 0o777);
  await chmod(join(dir, closed), 0o555);
  // The superuser may write anywhere.
  const uid = process.getuid?.() === 0 ? { uid: 65_534 } : {};
  const child = runChild('./hold-world.ts', [dir], uid);
  await child.line();
  child.go();
  expect(await child.line()).toBe('data_not_writable');
  await chmod(join(dir, closed), 0o755);
});

test('a world that fails to open leaves the directory free', async () => {
  const dir = await testDirectory();
  await writeFile(join(dir, 'stepfold.db'), 'not a database'.repeat(1_000));
  for (let i = 0; i < 2; i++) {
    expect(() => openLocalWorld({ dir })).toThrow(expect.objectContaining({ code: 'data_damaged' }));
  }
});

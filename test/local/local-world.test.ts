import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { openLocalWorld } from '../../lib/local/local-world.ts';
import { testDirectory } from './directory.ts';

const RUN = { tenant: 'tenant', runId: 'run' };

test('a world makes its directory, and what was put into it is there when it is opened again', async () => {
  const dir = join(await testDirectory(), 'new', 'data');
  const at = '2026-01-01T00:00:00.000Z';
  const first = openLocalWorld({ dir });
  await first.world.inbox.append(RUN, { number: 0, id: 'start', kind: 'start', at, body: 'hello' });
  await first.world.blobs.put(RUN, 'a'.repeat(64), Buffer.from('payload'));
  await first.close();
  expect((await readdir(dir)).sort()).toEqual([
    'blobs',
    'blobs.drafts',
    'lock.db',
    'notifications.jsonl',
    'stepfold.db',
  ]);

  const second = openLocalWorld({ dir });
  expect(second.unfinished()).toEqual([RUN]);
  expect(await second.world.inbox.read(RUN, 0)).toHaveLength(1);
  expect(await second.world.blobs.get(RUN, 'a'.repeat(64))).toBeDefined();
  await second.close();
});

test('opening a world wakes nobody by itself', async () => {
  const dir = await testDirectory();
  const at = '2026-01-01T00:00:00.000Z';
  const first = openLocalWorld({ dir });
  await first.world.inbox.append(RUN, { number: 0, id: 'start', kind: 'start', at, body: 'hello' });
  await first.close();
  const second = openLocalWorld({ dir });
  const woken: unknown[] = [];
  second.start(async ({ wake }) => void woken.push(wake));
  await second.world.wakes.send({ ...RUN, swept: true }, { lane: 'fast' });
  await vi.waitUntil(() => woken.length > 0);
  expect(woken).toEqual([{ ...RUN, swept: true }]);
  await second.close();
});

test('a world whose handlers are still at work keeps its directory', async () => {
  const dir = await testDirectory();
  const { world, start, close } = openLocalWorld({ dir });
  const { promise, resolve } = Promise.withResolvers<void>();
  let begun = false;
  start(() => {
    begun = true;
    return promise;
  });
  await world.wakes.send(RUN, { lane: 'long' });
  await vi.waitUntil(() => begun);
  await expect(close({ waitMs: 10 })).rejects.toMatchObject({ code: 'close_timed_out' });
  expect(() => openLocalWorld({ dir })).toThrow(expect.objectContaining({ code: 'data_in_use' }));
  expect(await world.log.load(RUN)).toEqual({ commits: [] });
  resolve();
  await close();
  await close();
  await openLocalWorld({ dir }).close();
});

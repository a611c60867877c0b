import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { within } from '../../lib/aws/time-left.ts';
import type { World } from '../../lib/ports/world.ts';
import { freshRun } from '../contracts/open.ts';
import { fault } from './fake-aws.ts';
import { type AwsStage, openAwsStage } from './open-aws.ts';

let stage: AwsStage;
let world: World;

beforeAll(async () => {
  stage = await openAwsStage();
  world = stage.open().world;
});
afterEach(() => stage.aws.disturb());
afterAll(() => stage.close());

const commit = { seq: 0, events: ['x'], owner: 'owner', messageId: 'message', hash: 'hash' };

test('a request that is throttled backs off inside the time left and is then unavailable', async () => {
  stage.aws.disturb(async () => fault(400, 'ThrottlingException'));
  const from = Date.now();
  const appending = within(from + 300, () => world.log.append(freshRun(), commit));
  await expect(appending).rejects.toMatchObject({ code: 'unavailable' });
  expect(Date.now() - from).toBeLessThan(1_000);
});

test('a request that gets no answer ends with the time left', async () => {
  stage.aws.disturb(() => sleep(2_000, undefined, { ref: false }));
  const from = Date.now();
  await expect(within(from + 200, () => world.log.load(freshRun()))).rejects.toMatchObject({
    code: 'unavailable',
  });
  expect(Date.now() - from).toBeLessThan(1_000);
});

test('what was suspended with its invocation and wakes up later writes and sends nothing', async () => {
  const run = freshRun();
  const { promise: thaw, resolve } = Promise.withResolvers<void>();
  const suspended = within(Date.now() + 50, async () => {
    await thaw;
    const writes = [
      world.log.append(run, commit),
      world.wakes.send(run, { lane: 'fast' }),
      world.blobs.put(run, '0'.repeat(64), new Uint8Array()),
      world.timers.arm({ name: 'a', at: Date.now() + 600_000, wake: run, lane: 'fast' }),
    ];
    return (await Promise.allSettled(writes)).map(({ status }) => status);
  });
  await sleep(60);
  const before = stage.aws.asked.length;
  const later = within(Date.now() + 10_000, async () => {
    resolve();
    return suspended;
  });
  expect(await later).toEqual(Array(4).fill('rejected'));
  expect(stage.aws.asked.length).toBe(before);
  expect((await world.log.load(run)).commits).toEqual([]);
});

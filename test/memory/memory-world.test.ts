import { describe, expect, test } from 'vitest';
import { createMemoryWorld } from '../../lib/memory/memory-world.ts';

const RUN = { tenant: 'tenant', runId: 'run' };
const START = Date.UTC(2026, 0, 1);

describe('the queue', () => {
  test('messages come in the order in which they become visible', async () => {
    const world = createMemoryWorld();
    await world.wakes.send({ ...RUN, action: 'third' }, { lane: 'fast', delayMs: 20 });
    await world.wakes.send({ ...RUN, action: 'first' }, { lane: 'fast' });
    await world.wakes.send({ ...RUN, action: 'second' }, { lane: 'fast' });
    await world.wakes.send({ ...RUN, action: 'fourth' }, { lane: 'fast', delayMs: 20 });
    world.advanceTo(START + 20);
    const actions = [1, 2, 3, 4, 5].map(() => world.receive()?.wake.action);
    expect(actions).toEqual(['first', 'second', 'third', 'fourth', undefined]);
  });

  test.each([
    ['fast', 50_000],
    ['long', 210_000],
    ['settle', 50_000],
  ] as const)('a message that was received on the lane %s is hidden for %d ms', async (lane, hidden) => {
    const world = createMemoryWorld();
    await world.wakes.send(RUN, { lane });
    const first = world.receive()!;
    expect(world.receive()).toBeUndefined();
    expect(world.nextAt()).toBe(START + hidden);
    world.advanceTo(START + hidden - 1);
    expect(world.receive()).toBeUndefined();
    world.advanceTo(START + hidden);
    const second = world.receive()!;
    expect(second).toMatchObject({ messageId: first.messageId, receives: 2 });
    expect(second.receipt).not.toBe(first.receipt);
  });

  test('an acknowledged message is gone', async () => {
    const world = createMemoryWorld();
    await world.wakes.send(RUN, { lane: 'fast' });
    await world.wakes.send(RUN, { lane: 'fast' });
    world.acknowledge(world.receive()!.receipt);
    expect(world.pending()).toHaveLength(1);
    world.acknowledge(world.receive()!.receipt);
    expect(world.pending()).toEqual([]);
    expect(world.nextAt()).toBeUndefined();
  });

  test('a released message is visible at once, and the receipt of its first delivery counts no more', async () => {
    const world = createMemoryWorld();
    await world.wakes.send(RUN, { lane: 'fast' });
    const first = world.receive()!;
    world.release(first.receipt);
    const second = world.receive()!;
    expect(second).toMatchObject({ messageId: first.messageId, receives: 2 });
    world.acknowledge(first.receipt);
    world.release(first.receipt);
    expect(world.receive()).toBeUndefined();
    world.acknowledge(second.receipt);
    expect(world.pending()).toEqual([]);
  });

  test('other visibility timeouts may be chosen', async () => {
    const world = createMemoryWorld({ visibilityMs: { fast: 1, long: 2, settle: 3 } });
    await world.wakes.send(RUN, { lane: 'settle' });
    world.receive();
    expect(world.pending()).toMatchObject([{ wake: RUN, lane: 'settle', receives: 1, visibleAt: START + 3 }]);
  });
});

describe('time', () => {
  test('the clock stands still until it is moved, and never goes back', () => {
    const world = createMemoryWorld({ start: 1_000 });
    expect(world.clock.now()).toBe(1_000);
    world.advanceTo(2_000);
    world.advanceTo(1_500);
    expect(world.clock.now()).toBe(2_000);
  });

  test('timers that the clock passes send their wakes, in the order of their times', async () => {
    const world = createMemoryWorld();
    const arm = (name: string, at: number) =>
      world.timers.arm({ name, at, wake: { ...RUN, action: name }, lane: 'settle' });
    await arm('late', START + 300);
    await arm('early', START + 100);
    await arm('never', START + 400);
    expect(world.nextAt()).toBe(START + 100);
    expect(world.pending()).toEqual([]);
    world.advanceTo(START + 350);
    expect(world.armed().map(({ name }) => name)).toEqual(['never']);
    expect([world.receive(), world.receive()].map((message) => message?.wake.action)).toEqual([
      'early',
      'late',
    ]);
    expect(world.nextAt()).toBe(START + 400);
  });

  test('a timer whose time has passed sends its wake when it is armed', async () => {
    const world = createMemoryWorld();
    await world.timers.arm({ name: 'a', at: START - 1, wake: RUN, lane: 'fast' });
    expect(world.receive()?.wake).toEqual(RUN);
  });

  test('a timer that has fired may be armed again', async () => {
    const world = createMemoryWorld();
    const arm = (at: number) => world.timers.arm({ name: 'a', at, wake: RUN, lane: 'fast' });
    await arm(START + 1);
    world.advanceTo(START + 1);
    await arm(START + 2);
    world.advanceTo(START + 2);
    expect(world.pending()).toHaveLength(2);
  });
});

describe('chance', () => {
  test('worlds of one seed make the same ids and numbers, of another seed others', () => {
    const made = (seed: number) => {
      const { ids } = createMemoryWorld({ seed });
      return [ids.fresh(), ids.random(), ids.fresh(), ids.random()];
    };
    expect(made(7)).toEqual(made(7));
    expect(new Set([...made(7), ...made(8)]).size).toBe(8);
  });

  test('ids that are made later sort later', () => {
    const world = createMemoryWorld();
    const before = world.ids.fresh();
    world.advanceTo(START + 1);
    expect(world.ids.fresh() > before).toBe(true);
  });
});

test('operations resolve in microtasks, so that a simulation decides alone what happens when', async () => {
  const world = createMemoryWorld();
  let turned = false;
  setImmediate(() => {
    turned = true;
  });
  const at = '2026-01-01T00:00:00.000Z';
  await world.log.append(RUN, { seq: 0, events: [{}], owner: 'o', messageId: 'm', hash: 'h' });
  await world.log.load(RUN);
  await world.inbox.append(RUN, { number: 0, id: 'a', kind: 'start', at, body: null });
  await world.decisions.put(RUN, { interruptId: 'i', decision: 'approve', by: 'ada', at });
  await world.blobs.put(RUN, 'a', new Uint8Array(1));
  await world.index.list({ tenant: 'tenant', limit: 1 });
  await world.wakes.send(RUN, { lane: 'fast' });
  await world.timers.arm({ name: 'a', at: 0, wake: RUN, lane: 'fast' });
  expect(turned).toBe(false);
});

test('the margin of its clocks is 30 s, or what is chosen', () => {
  expect(createMemoryWorld().fence).toEqual({ margin: 30_000 });
  expect(createMemoryWorld({ margin: 5 }).fence).toEqual({ margin: 5 });
});

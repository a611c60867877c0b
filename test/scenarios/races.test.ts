import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { cancelRun } from '../../lib/runtime/tell-run.ts';
import { defineTool } from '../../lib/tool.ts';
import { HAPPENINGS, type Place } from '../support/happenings.ts';
import { type Order, race } from '../support/race.ts';
import { scene } from '../support/scene.ts';

const PLACES: readonly Place[] = ['in the middle of a run', 'at the end of a run'];
const PAIRS = HAPPENINGS.flatMap((one, index) =>
  HAPPENINGS.slice(index).map((other) => [one, other] as const),
);
const CASES = PLACES.flatMap((place) => PAIRS.map(([one, other]) => ({ place, one, other })));

describe.each(CASES)('$one and $other at the same instant, $place', ({ place, one, other }) => {
  test.each([0, 1] as const)('one after the other (%i first)', async (first) => {
    expect((await race([one, other], place, { first, seed: 1 })).complaints).toEqual([]);
  });

  test('truly at once', async () => {
    const { operations } = await race([one, other], place, { first: 0, seed: 1 });
    const failures: string[] = [];
    for (const order of orders(operations)) {
      const { complaints } = await race([one, other], place, order);
      failures.push(...complaints.map((what) => `${JSON.stringify(order)}: ${what}`));
    }
    expect(failures).toEqual([]);
  });
});

const HELD_UP = 60;
const CHANCES = 24;

/** One is held up for some operations of the other, at every place or at sixty of them; and all that chance gives. */
function orders([mine, others]: [number, number]): Order[] {
  const all: Order[] = [];
  for (const first of [0, 1] as const) {
    const [a, b] = first === 0 ? [mine, others] : [others, mine];
    for (let alone = 0; alone < a; alone++)
      for (let other = 1; other <= b; other++) all.push({ first, alone, other, seed: all.length });
  }
  const each = Math.max(1, all.length / HELD_UP);
  const some = all.filter((_, index) => Math.floor(index / each) !== Math.floor((index - 1) / each));
  return [...some, ...Array.from({ length: CHANCES }, (_, seed) => ({ seed }))];
}

test('a row that announces a commit that never comes is overwritten by what comes in its place', async () => {
  const input = z.object({});
  const act = defineTool({
    name: 'act',
    description: 'Act.',
    input,
    effect: 'read',
    approval: {},
    run: () => 1,
  });
  const calls = [1, 2].map(() => ({ name: 'act', args: {} }));
  const { world, rt, run, drive, view, decide, worker } = await scene({
    tools: [act],
    script: [{ toolCalls: calls }, 'done'],
  });
  await drive();
  await cancelRun(rt, run, { by: 'ann' });
  const { append } = world.log;
  world.log.append = async (key, commit) => {
    world.log.append = append;
    // Two denials are accepted when this worker has read the slots, and their reader dies before its commit.
    for (const { interruptId } of (await view()).interrupts) await decide(interruptId, 'deny');
    world.log.append = () => Promise.reject(new Error('killed'));
    await expect(worker().done).rejects.toThrow('killed');
    world.log.append = append;
    return append(key, commit);
  };
  await worker().done;
  await drive();
  expect((await view()).status).toBe('cancelled');
  expect(await world.index.get(run)).toMatchObject({ status: 'cancelled' });
  expect((await world.index.get(run))?.wakeAt).toBeUndefined();
});

import { expect, test } from 'vitest';
import { unavailable } from '../../lib/core/errors.ts';
import { createMemoryWorld, type MemoryWorld } from '../../lib/memory/memory-world.ts';
import type { Message } from '../../lib/ports/wakes.ts';
import type { World } from '../../lib/ports/world.ts';
import type { Runtime } from '../../lib/runtime/runtime.ts';
import { takeStep } from '../../lib/runtime/take-step.ts';
import { complaints, type Played, play } from '../support/play-scenario.ts';
import { SCENARIOS } from '../support/sweep-scenarios.ts';
import { CANCELS, WAITS } from '../support/wait-scenarios.ts';

const MINUTE = 60_000;
const PORTS = ['log', 'index', 'inbox', 'decisions', 'blobs', 'wakes', 'timers', 'notifier'] as const;

/** What becomes of an operation while the store is in trouble. */
type Trouble = 'refused' | 'applied' | 'fine';

/** From a worker's n-th operation on, the store is in trouble for ten minutes; each operation that fails takes seven seconds. */
function troubled(start: number, trouble: (operation: number, name: string) => Trouble) {
  const world = createMemoryWorld();
  let [operations, failed, until] = [0, 0, Number.NEGATIVE_INFINITY];
  const operation = async (name: string, perform: () => Promise<unknown>) => {
    if (++operations === start) until = world.clock.now() + 10 * MINUTE;
    const what = world.clock.now() < until ? trouble(operations, name) : 'fine';
    if (what === 'fine') return perform();
    failed++;
    world.advanceTo(world.clock.now() + 7_000);
    if (what === 'applied') await perform();
    throw unavailable(name, new Error('throttled'));
  };
  return {
    place: () => ({ world, restart: async () => {} }),
    library: {
      takeStep: (rt: Runtime, message: Message) =>
        takeStep({ ...rt, world: over(rt.world, operation) }, message),
    },
    operations: () => operations,
    failed: () => failed,
  };
}

function over(
  world: World,
  operation: (name: string, perform: () => Promise<unknown>) => Promise<unknown>,
): MemoryWorld {
  const ports = new Map<string | symbol, object>(
    PORTS.map((name) => {
      const port = world[name] as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
      const get =
        (_: object, key: string) =>
        (...args: unknown[]) =>
          operation(`${name}.${key}`, async () => port[key]?.(...args));
      return [name, new Proxy({}, { get: get as never })];
    }),
  );
  return new Proxy(world as MemoryWorld, {
    get: (target, key) => ports.get(key) ?? (Reflect.get(target, key) as unknown),
  });
}

const TITLES = [
  'a once call',
  'a lookup call',
  'an approval that is given',
  'four calls at once, one of each effect',
  'results that spill, and a snapshot at every other step',
  'a sleep of a minute',
  'a signal that comes while it is awaited',
  'a conversation of two turns',
  'a child run',
  'a budget that is met and raised',
  'a cancel of an approval',
];
const CHOSEN = [...SCENARIOS, ...WAITS, ...CANCELS].filter(({ title }) => TITLES.includes(title));

test.each<[string, (operation: number, name: string) => Trouble]>([
  ['answers nothing', () => 'refused'],
  ['answers nothing about logs', (_, name) => (name.startsWith('log') ? 'refused' : 'fine')],
  ['does what it is told, but its answers are lost', () => 'applied'],
  [
    'answers every other request, and does some of the others',
    (n) => (['fine', 'refused', 'fine', 'applied'] as const)[n % 4] ?? 'fine',
  ],
])('a store that %s for ten minutes loses nothing: every run comes to its end', async (_, trouble) => {
  const wrong: string[] = [];
  let failed = 0;
  expect(CHOSEN).toHaveLength(TITLES.length);
  for (const scenario of CHOSEN) {
    const whole = troubled(Number.POSITIVE_INFINITY, trouble);
    await play(scenario, whole);
    for (let start = 1; start <= whole.operations(); start += 5) {
      const store = troubled(start, trouble);
      const found = await play(scenario, store).then(
        (played) => complaints(scenario, played).filter((what) => !isGivenUp(what, played)),
        (error) => [String(error)],
      );
      failed += store.failed();
      wrong.push(...found.map((what) => `${scenario.title}, from ${start}: ${what}`));
    }
  }
  expect(wrong).toEqual([]);
  expect(failed).toBeGreaterThan(1_000);
});

/** Attempts that the outage cut off count like others; after the last the model is told. */
function isGivenUp(what: string, { events }: Played): boolean {
  const lost = events.some(
    (event) => event.type === 'tool_returned' && event.error?.code === 'attempts_lost',
  );
  return lost && what.includes('was applied 0 times');
}

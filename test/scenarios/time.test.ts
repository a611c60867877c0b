import { APICallError } from '@ai-sdk/provider';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { lookup, once } from '../../lib/core/effect.ts';
import type { Event, EventOf } from '../../lib/core/events.ts';
import type { Message } from '../../lib/ports/wakes.ts';
import type { Runtime } from '../../lib/runtime/runtime.ts';
import { sweep } from '../../lib/runtime/sweep.ts';
import { takeStep } from '../../lib/runtime/take-step.ts';
import { defineTool, type Tool } from '../../lib/tool.ts';
import { askHuman } from '../../lib/tools/ask-human.ts';
import { awaitSignal } from '../../lib/tools/await-signal.ts';
import { sleepUntil } from '../../lib/tools/sleep-until.ts';
import { complaints, play } from '../support/play-scenario.ts';
import { callOnce, scene } from '../support/scene.ts';
import { sweepScenario } from '../support/sweep-scenario.ts';
import { SCENARIOS } from '../support/sweep-scenarios.ts';
import { CANCELS, WAITS } from '../support/wait-scenarios.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const gated = defineTool({
  name: 'gated',
  description: 'Act.',
  input: z.object({}),
  effect: 'once',
  approval: { expiresIn: '1d' },
  run: () => 'sent',
});

/** What ends by itself after a day, and what its call then gives. */
const WAITING: readonly [string, Tool, unknown, unknown][] = [
  ['a sleep', sleepUntil, { for: '1d' }, { result: { wokeAt: expect.any(String) } }],
  ['a wait for a signal', awaitSignal, { name: 'paid', timeout: '1d' }, { result: { timedOut: true } }],
  ['a question', askHuman, { question: 'Shall I?', timeout: '1d' }, { result: { timedOut: true } }],
  ['an approval', gated, {}, { source: 'denied', error: { code: 'expired' } }],
];

describe.each(WAITING)('%s of a day', (_, tool, args, outcome) => {
  async function waiting() {
    const played = await scene({ tools: [tool], script: callOnce(tool.name, args) });
    const { world } = played;
    const armed: Parameters<typeof world.timers.arm>[0][] = [];
    // A timer that was armed under a name stays as it is, and never fires by itself.
    world.timers.arm = async (timer) => {
      armed.push(timer);
    };
    await played.drive();
    const due = Date.parse((await played.view()).interrupts[0]?.expiresAt ?? '');
    const fire = async () => {
      const [timer] = armed;
      if (timer) await world.wakes.send(timer.wake, { lane: timer.lane });
    };
    return { ...played, armed, due, fire };
  }

  async function expectOnce({ events, view, verify, due }: Awaited<ReturnType<typeof waiting>>) {
    const log = await events();
    const resumed = log.filter((event) => event.type === 'resumed');
    expect(resumed).toHaveLength(1);
    expect(Date.parse(resumed[0]?.at ?? '')).toBeGreaterThanOrEqual(due);
    expect(log.filter((event) => event.type === 'tool_returned')).toMatchObject([outcome]);
    expect((await view()).status).toBe('completed');
    expect(await verify()).toEqual([]);
  }

  test('is armed under one name, and takes a day', async () => {
    const played = await waiting();
    expect(played.due - Date.parse((await played.view()).createdAt)).toBe(DAY);
    expect(new Set(played.armed.map(({ name }) => name)).size).toBe(1);
    played.world.advanceTo(played.due);
    await played.fire();
    await played.drive();
    await expectOnce(played);
  });

  test('whose timer comes early goes on at its time, without arming the same name again', async () => {
    const played = await waiting();
    const names = played.armed.length;
    await played.driveUntil(played.due - 3 * 60 * MINUTE);
    await played.fire();
    await played.driveUntil(played.due - 1);
    expect((await played.types()).at(-1)).toBe('interrupted');
    expect(played.armed).toHaveLength(names);
    await played.drive();
    await expectOnce(played);
    expect(played.armed).toHaveLength(names);
  });

  test('whose timer comes twice goes on once', async () => {
    const played = await waiting();
    played.world.advanceTo(played.due);
    await played.fire();
    await played.fire();
    await played.drive();
    await played.fire();
    await played.drive();
    await expectOnce(played);
  });

  test('whose timer comes two days late goes on then', async () => {
    const played = await waiting();
    played.world.advanceTo(played.due + 2 * DAY);
    await played.fire();
    await played.drive();
    await expectOnce(played);
  });

  test('whose timer never comes is found by the sweep, and not before its time', async () => {
    const played = await waiting();
    await played.driveUntil(played.due - 1);
    expect(await sweep(played.rt)).toBe(0);
    await played.driveUntil(played.due);
    expect((await played.types()).at(-1)).toBe('interrupted');
    expect(await sweep(played.rt)).toBe(1);
    await played.drive();
    await expectOnce(played);
  });
});

test('the sweep twice at once, and beside a worker that is at work, changes nothing', async () => {
  const end = Promise.withResolvers<unknown>();
  const reached = Promise.withResolvers<void>();
  let sent = 0;
  const act = defineTool({
    name: 'act',
    description: 'Act.',
    input: z.object({}),
    effect: 'once',
    timeout: '15m',
    run: () => {
      sent++;
      reached.resolve();
      return end.promise;
    },
  });
  const played = await scene({ tools: [act], script: callOnce('act') });
  const { rt, run, world, worker, driveUntil, drive, types, view, verify } = played;
  await worker().done;
  const { done } = worker();
  await reached.promise;
  const header = await world.index.get(run);
  await world.index.moveWakeAt(run, header?.seq ?? -1, world.clock.now());
  const before = await types();
  expect(await Promise.all([sweep(rt), sweep(rt)])).toContain(1);
  await driveUntil(world.clock.now());
  expect(await types()).toEqual(before);
  end.resolve('done');
  await done;
  await drive();
  expect(await view()).toMatchObject({ status: 'completed', evidence: [] });
  expect(sent).toBe(1);
  expect(await verify()).toEqual([]);
});

test('a wait of a minute is a delayed wake, and no timer is armed', async () => {
  const { world, drive, view } = await scene({
    tools: [sleepUntil],
    script: callOnce('sleepUntil', { for: '60s' }),
  });
  let armed = 0;
  world.timers.arm = async () => {
    armed++;
  };
  await drive();
  expect(armed).toBe(0);
  expect((await view()).status).toBe('completed');
});

describe('what a model gives as a time', () => {
  async function sleep(args: unknown) {
    const played = await scene({ tools: [sleepUntil], script: callOnce('sleepUntil', args) });
    const start = played.world.clock.now();
    await played.drive(0);
    return { ...played, start };
  }

  test.each([
    { at: 'tomorrow' },
    { at: 'tomorrow 9' },
    { at: 'Dec 24 2026' },
    { at: '2026-02-30T00:00:00Z' },
    { at: '2026-13-01T00:00:00Z' },
    { at: '2026-03-01T25:00:00Z' },
    { at: '-100000-01-01T00:00:00Z' },
    { at: '' },
    { at: '2036-01-01T00:00:00Z' },
    { at: '2026-03-01T09:00:00' },
    { at: '+010000-01-01T00:00:00Z' },
    { for: '10 years' },
    { for: '3650d' },
    { for: '999999999w' },
    { for: '-5s' },
    { for: '1.5h' },
    { for: '' },
    {},
    { at: '2026-03-01T00:00:00Z', for: '1d' },
    { until: '2026-03-01T00:00:00Z' },
    { at: 1_772_323_200_000 },
  ])('%j is refused, the model is told, and nothing waits', async (args) => {
    const { events, view, world, verify } = await sleep(args);
    const log = await events();
    expect(log.filter((event) => event.type === 'tool_returned')).toMatchObject([
      { source: 'invalid', error: { code: 'invalid_arguments' } },
    ]);
    expect(log.some((event) => event.type === 'interrupted')).toBe(false);
    expect((await view()).status).toBe('completed');
    expect(world.armed()).toEqual([]);
    expect(await verify()).toEqual([]);
  });

  test.each([
    { at: '2025-12-31T23:59:59Z' },
    { at: '0001-01-01T00:00:00Z' },
    { at: '2026-01-01T00:00:00Z' },
    { at: '2026-01-01T01:00:00+01:00' },
    { for: '0s' },
  ])('%j is past, and over at once', async (args) => {
    const { events, view, start, verify } = await sleep(args);
    const log = await events();
    expect(log.filter((event) => event.type === 'resumed')).toHaveLength(1);
    expect(log.filter((event) => event.type === 'tool_returned')).toMatchObject([
      { source: 'resumed', result: { wokeAt: new Date(start).toISOString() } },
    ]);
    expect((await view()).status).toBe('completed');
    expect(await verify()).toEqual([]);
  });

  test.each([
    [{ at: '2026-03-01T09:00:00Z' }, '2026-03-01T09:00:00.000Z'],
    [{ at: '2026-03-01T09:00:00.5+02:00' }, '2026-03-01T07:00:00.500Z'],
    [{ at: '2026-03-01T09:00Z' }, '2026-03-01T09:00:00.000Z'],
    [{ at: '2026-03-01' }, '2026-03-01T00:00:00.000Z'],
    [{ for: '366d' }, '2027-01-02T00:00:00.000Z'],
  ])('%j is %s', async (args, expiresAt) => {
    const { view } = await sleep(args);
    expect((await view()).interrupts).toMatchObject([{ reason: 'timer', expiresAt }]);
  });

  test.each([
    ['askHuman', askHuman, { question: 'Shall I?', timeout: 'soon' }],
    ['askHuman', askHuman, { question: 'Shall I?', timeout: '3650d' }],
    ['awaitSignal', awaitSignal, { name: 'paid', timeout: 'never' }],
    ['awaitSignal', awaitSignal, { name: 'paid', timeout: '3650d' }],
    ['awaitSignal', awaitSignal, { name: '' }],
    ['awaitSignal', awaitSignal, {}],
    ['askHuman', askHuman, { question: 'Shall I?', schema: { type: 'nonsense' } }],
    ['askHuman', askHuman, { question: '' }],
  ] as const)('%s: what does not fit is refused and told', async (name, tool, args) => {
    const { drive, events, view } = await scene({ tools: [tool], script: callOnce(name, args) });
    await drive();
    expect((await events()).filter((event) => event.type === 'tool_returned')).toMatchObject([
      { source: 'invalid', error: { code: 'invalid_arguments' } },
    ]);
    expect((await view()).status).toBe('completed');
  });
});

/** Workers whose clocks differ, by turns. */
function skewed(differences: readonly number[]) {
  let taken = 0;
  return {
    takeStep(rt: Runtime, message: Message) {
      const difference = differences[taken++ % differences.length] as number;
      const clock = { now: () => rt.world.clock.now() + difference };
      const world = new Proxy(rt.world, {
        get: (target, key) => (key === 'clock' ? clock : (Reflect.get(target, key) as unknown)),
      });
      return takeStep({ ...rt, world }, message);
    },
  };
}

function neverEarly(events: readonly Event[]): string[] {
  const waits = events.filter((event): event is EventOf<'interrupted'> => event.type === 'interrupted');
  return events.flatMap((event) => {
    if (event.type !== 'resumed' || !/timer|expiry/.test(event.by)) return [];
    const wait = waits.find((each) => each.interruptId === event.interruptId);
    const at = event.outcome.at ?? event.at;
    return at < (wait?.expiresAt ?? '')
      ? [`${event.interruptId} was over at ${at}, before ${wait?.expiresAt}`]
      : [];
  });
}

const APART = [
  ['half a minute ahead', [0, 30_000]],
  ['half a minute behind', [0, -30_000]],
  ['going back and forth', [15_000, -15_000, 5_000, -10_000, 0]],
] as const;
const ALL = [...SCENARIOS, ...WAITS, ...CANCELS];

describe('a provider that wants to be left alone for an hour', () => {
  async function busy() {
    const calls: number[] = [];
    const played = await scene();
    const { world, agentOf } = played;
    const model = agentOf().model;
    const doGenerate = async (options: Parameters<typeof model.doGenerate>[0]) => {
      calls.push(world.clock.now());
      if (calls.length > 1) return model.doGenerate(options);
      const responseHeaders = { 'retry-after': '3600' };
      const about = { url: 'http://provider', requestBodyValues: {}, statusCode: 429, responseHeaders };
      throw new APICallError({ message: 'slow down', ...about });
    };
    Object.assign(played.rt, { agents: new Map([['agent', agentOf({ model: { ...model, doGenerate } })]]) });
    const names: string[] = [];
    world.timers.arm = async ({ name }) => {
      names.push(name);
    };
    await played.driveUntil(world.clock.now());
    const due = world.clock.now() + 60 * MINUTE;
    return { ...played, calls, names, due };
  }

  test('is asked again at its time, and not by a wake that comes early', async () => {
    const { world, run, calls, names, due, drive, driveUntil, view } = await busy();
    expect(names).toHaveLength(1);
    await world.wakes.send({ ...run, action: 'model' }, { lane: 'long' });
    await driveUntil(due - 1);
    expect(calls).toHaveLength(1);
    await drive();
    expect(calls).toEqual([due - 60 * MINUTE, due]);
    expect((await view()).status).toBe('completed');
  });

  test('is asked again by the sweep where no timer comes', async () => {
    const { rt, world, calls, due, drive, driveUntil, view } = await busy();
    for (let at = world.clock.now(); at <= due; at += 15 * MINUTE) {
      await driveUntil(at);
      await sweep(rt);
    }
    await drive();
    expect(calls).toHaveLength(2);
    expect(calls[1]).toBeGreaterThanOrEqual(due);
    expect((await view()).status).toBe('completed');
  });
});

test.each([
  ['once', once()],
  ['lookup', lookup({ find: () => 'unknown', horizon: '0s' })],
] as const)(
  'a %s call is left to its worker by one whose clock is half a minute ahead',
  async (_, effect) => {
    const end = Promise.withResolvers<unknown>();
    const reached = Promise.withResolvers<void>();
    const act = defineTool({
      name: 'act',
      description: 'Act.',
      input: z.object({}),
      effect,
      run: () => {
        reached.resolve();
        return end.promise;
      },
    });
    const { world, rt, run, worker, types, view } = await scene({ tools: [act], script: callOnce('act') });
    await worker().done;
    const { done } = worker();
    await reached.promise;
    world.advanceTo(world.clock.now() + 20_000);
    const other: Message = { messageId: 'm', wake: { ...run, action: '1.0' }, lane: 'fast', receives: 1 };
    await skewed([30_000]).takeStep(rt, other);
    expect((await types()).at(-1)).toBe('tool_call_requested');
    end.resolve('done');
    await done;
    expect(await view()).toMatchObject({ evidence: [], interrupts: [] });
    expect((await types()).at(-1)).toBe('tool_returned');
  },
);

test('a wake that comes too early by one clock, and is used for something else, is made up for', async () => {
  const tools = (['dropped', 'other'] as const).map((name) =>
    defineTool({
      name,
      description: 'Act.',
      input: z.object({}),
      effect: 'once',
      run: () => {
        if (name === 'other') return 1;
        throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
      },
    }),
  );
  const toolCalls = tools.map(({ name }) => ({ name, args: {} }));
  const script = [{ toolCalls }, 'done'];
  const { world, rt, worker, drive, types, view } = await scene({
    tools,
    script,
    limits: { parallelCalls: 1 },
  });
  await worker().done;
  const { receipt = '', ...first } = world.receive() ?? {};
  await skewed([15_000]).takeStep(rt, first as Message);
  world.acknowledge(receipt);
  expect((await types()).at(-1)).toBe('tool_call_failed');
  await worker().done;
  expect((await types()).at(-1)).toBe('tool_returned');
  // What the start has left for its own safety is spent.
  for (const { wake, visibleAt } of world.pending()) {
    if (!wake.news) continue;
    world.advanceTo(visibleAt);
    world.acknowledge(world.receive()?.receipt ?? '');
  }
  await drive();
  expect((await view()).interrupts).toMatchObject([{ reason: 'in_doubt', tool: 'dropped' }]);
});

test.each(APART)(
  'workers whose clocks are %s do every effect once, and end no wait before its time',
  async (_, differences) => {
    const wrong: string[] = [];
    for (const scenario of ALL) {
      for (const first of differences.keys()) {
        const library = skewed([...differences.slice(first), ...differences.slice(0, first)]);
        const played = await play(scenario, { library });
        const found = [...complaints(scenario, played), ...neverEarly(played.events)];
        wrong.push(...found.map((what) => `${scenario.title}: ${what}`));
      }
    }
    expect(wrong).toEqual([]);
  },
);

test.each(['crash_before', 'crash_after'] as const)(
  'workers whose clocks differ survive %s at every operation',
  async (mode) => {
    const titles = [
      'a lookup call',
      'a once call',
      'a sleep of a minute',
      'an approval that expires within a minute',
    ];
    const wrong: string[] = [];
    for (const scenario of ALL.filter(({ title }) => titles.includes(title))) {
      for (const differences of [
        [0, 30_000],
        [30_000, 0],
        [-20_000, 10_000, 0],
      ]) {
        const { failures } = await sweepScenario(scenario, mode, { library: skewed(differences) });
        wrong.push(...failures.map((what) => `${scenario.title}: ${what}`));
      }
    }
    expect(wrong).toEqual([]);
  },
);

test.each([
  ['jumps a minute ahead', [0, MINUTE]],
  ['jumps an hour back', [0, -60 * MINUTE, 0, 0]],
] as const)('a clock that %s ends no wait twice or before its time', async (_, differences) => {
  const wrong: string[] = [];
  for (const scenario of WAITS) {
    const played = await play(scenario, { library: skewed(differences) });
    const found = [...complaints(scenario, played), ...neverEarly(played.events)];
    wrong.push(...found.map((what) => `${scenario.title}: ${what}`));
  }
  expect(wrong).toEqual([]);
});

import { APICallError } from '@ai-sdk/provider';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { AgentOptions, LimitOptions } from '../../lib/agent.ts';
import { readEvents } from '../../lib/runtime/read-events.ts';
import { resumeRun } from '../../lib/runtime/resume-run.ts';
import { startRun } from '../../lib/runtime/start-run.ts';
import { takeStep } from '../../lib/runtime/take-step.ts';
import type { ScriptItem } from '../../lib/testing/index.ts';
import { defineTool } from '../../lib/tool.ts';
import { byChance, interleave, type Process } from '../support/interleave.ts';
import { scene } from '../support/scene.ts';

const MINUTE = 60_000;
const input = z.object({});

/** An agent that never comes to an end: it calls a tool, again and again. */
async function endless(limits: LimitOptions, more: Partial<AgentOptions> = {}) {
  const sent: number[] = [];
  const played = await scene({
    limits,
    prices: { input: 1, output: 10 },
    script: Array.from(
      { length: 500 },
      (): ScriptItem => ({
        toolCalls: [{ name: 'act', args: {} }],
        usage: { inputTokens: 900, outputTokens: 100 },
      }),
    ),
    tools: [
      defineTool({
        name: 'act',
        description: 'Act.',
        input,
        effect: 'read',
        run: () => {
          sent.push(played.world.clock.now());
          played.world.advanceTo(played.world.clock.now() + MINUTE);
          return 1;
        },
      }),
    ],
    ...more,
  });
  const requests = async () => (await played.types()).filter((type) => type.endsWith('_requested')).length;
  const raise = (given: Parameters<typeof resumeRun>[2]['limits']) =>
    resumeRun(played.rt, played.run, { mode: 'verbatim', by: 'ann', ...(given && { limits: given }) });
  return { ...played, sent, requests, raise };
}

describe('an endless loop is stopped by its limit, and goes on when that is raised', () => {
  // Each round is a model call of 1,000 tokens for 0.0019 dollars and a tool call of a minute.
  test.each([
    ['steps', { steps: 51 }, { limit: 'steps', allowed: 51, used: 51 }, 51, { steps: 61 }, 61],
    [
      'tokens',
      { tokens: 9_500 },
      { limit: 'tokens', allowed: 9_500, used: 10_000 },
      19,
      { tokens: 20_000 },
      39,
    ],
    [
      'costUsd',
      { costUsd: 0.01 },
      { limit: 'costUsd', allowed: 0.01, used: expect.closeTo(0.0114) },
      11,
      { costUsd: 0.02 },
      21,
    ],
    [
      'wallClock',
      { wallClock: '10m' },
      { limit: 'wallClock', allowed: 600_000, used: 600_000 },
      20,
      { wallClock: 1_200_000 },
      40,
    ],
  ] as const)('%s', async (_, limits, met, first, raised, second) => {
    const { drive, view, requests, raise, verify, world } = await endless(limits);
    await drive();
    expect(await view()).toMatchObject({
      status: 'paused',
      interrupts: [{ reason: 'budget_exceeded', facts: met }],
    });
    expect(await requests()).toBe(first);
    expect(world.notices()).toContainEqual(expect.objectContaining({ reason: 'budget_exceeded' }));
    await expect(raise(undefined)).rejects.toMatchObject({ code: 'limits_required' });
    await expect(raise({ [met.limit]: met.allowed })).rejects.toMatchObject({ code: 'limits_required' });
    await drive();
    expect(await requests()).toBe(first);
    await raise(raised);
    await drive();
    expect((await view()).interrupts).toMatchObject([
      { reason: 'budget_exceeded', facts: { limit: met.limit } },
    ]);
    expect(await requests()).toBe(second);
    expect(await verify()).toEqual([]);
  });

  test('the overshoot of what is only known afterwards is one call', async () => {
    const { drive, view } = await endless({ tokens: 9_001 });
    await drive();
    const { usage } = await view();
    expect(usage.inputTokens + usage.outputTokens).toBe(10_000);
  });

  test('raising one limit does not raise another', async () => {
    const { drive, raise, view } = await endless({ steps: 11, tokens: 6_000 });
    await drive();
    await expect(raise({ steps: 100 })).rejects.toMatchObject({
      code: 'limits_required',
      details: { limit: 'tokens', used: 6_000 },
    });
    await raise({ steps: 100, tokens: 8_000 });
    await drive();
    expect((await view()).interrupts).toMatchObject([{ facts: { limit: 'tokens', used: 8_000 } }]);
  });
});

test('a limit that is met by the last call lets the run end', async () => {
  const { drive, view } = await scene({ limits: { steps: 1 }, script: ['done'] });
  await drive();
  expect((await view()).status).toBe('completed');
});

test('no more steps are begun than the limit allows, however many workers begin them at once', async () => {
  for (let seed = 0; seed < 30; seed++) {
    const sent: number[] = [];
    const act = defineTool({
      name: 'act',
      description: 'Act.',
      input,
      effect: 'read',
      run: () => sent.push(1),
    });
    const calls = Array.from({ length: 6 }, () => ({ name: 'act', args: {} }));
    const { world, rt, worker, view, drive, verify } = await scene({
      tools: [act],
      script: [{ toolCalls: calls }, 'done'],
      limits: { steps: 4 },
    });
    await worker().done;
    const together = interleave(world);
    const crowd: Process[] = [];
    for (let message = world.receive(); message; message = world.receive()) {
      const { receipt, ...plain } = message;
      crowd.push(
        together.spawn('worker', async () => {
          await takeStep({ ...rt, world: together.world }, plain);
          world.acknowledge(receipt);
        }),
      );
    }
    const choose = byChance(seed);
    while (await together.move(choose));
    expect(crowd.flatMap(({ outcome }) => (outcome && 'error' in outcome ? [outcome.error] : []))).toEqual(
      [],
    );
    await drive();
    expect(sent).toHaveLength(3);
    expect(await view()).toMatchObject({ steps: 5, interrupts: [{ reason: 'budget_exceeded' }] });
    expect(await verify()).toEqual([]);
  }
});

test('no more calls are in flight than the limit allows, and all are made', async () => {
  let [flying, most, sent] = [0, 0, 0];
  const act = defineTool({
    name: 'act',
    description: 'Act.',
    input,
    effect: 'read',
    run: async () => {
      sent++;
      most = Math.max(most, ++flying);
      await new Promise((resolve) => setImmediate(resolve));
      flying--;
    },
  });
  const calls = Array.from({ length: 9 }, () => ({ name: 'act', args: {} }));
  const { world, worker, drive, view, verify } = await scene({
    tools: [act],
    script: [{ toolCalls: calls }, 'done'],
    limits: { parallelCalls: 3 },
  });
  await worker().done;
  while (world.nextAt() === world.clock.now()) {
    const crowd: Promise<void>[] = [];
    while (world.nextAt() === world.clock.now()) crowd.push(worker().done);
    await Promise.all(crowd);
  }
  await drive();
  expect((await view()).status).toBe('completed');
  expect(sent).toBe(9);
  expect(most).toBe(3);
  expect(await verify()).toEqual([]);
});

describe('further attempts', () => {
  test('at a step that is counted already are not stopped by the limit of steps', async () => {
    let refusals = 2;
    const act = defineTool({
      name: 'act',
      description: 'Act.',
      input,
      effect: 'once',
      run: () => {
        if (refusals-- > 0) throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
        return 1;
      },
    });
    const busy = new APICallError({
      message: 'busy',
      url: 'http://provider',
      requestBodyValues: {},
      statusCode: 529,
    });
    let calls = 0;
    const { rt, drive, view, verify, events } = await scene({
      tools: [act],
      script: [{ toolCalls: [{ name: 'act', args: {} }] }, 'done'],
      limits: { steps: 3 },
    });
    const { model } = rt.agents.get('agent') ?? {};
    const doGenerate = model?.doGenerate;
    if (model && doGenerate)
      model.doGenerate = async (options) => {
        if (calls++ % 2 === 0) throw busy;
        return doGenerate(options);
      };
    await drive();
    expect(await view()).toMatchObject({ status: 'completed', steps: 3 });
    const attempts = (await events()).flatMap((event) =>
      'claim' in event ? [`${event.step}/${event.attempt}`] : [],
    );
    expect(attempts).toEqual(['1/1', '1/2', '2/1', '2/2', '2/3', '3/1', '3/2']);
    expect(await verify()).toEqual([]);
  });

  /** A run whose worker dies while the model works, as often as said. */
  async function dying(times: number, limits: LimitOptions) {
    let calls = 0;
    const played = await scene({ limits, prices: { input: 100, output: 100 }, script: ['x'.repeat(400)] });
    const { model } = played.rt.agents.get('agent') ?? {};
    const doGenerate = model?.doGenerate;
    if (model && doGenerate)
      model.doGenerate = (options) => (calls++ < times ? new Promise(() => {}) : doGenerate(options));
    for (let died = 0; died < times; died++) {
      played.world.advanceTo(played.world.nextAt() ?? 0);
      played.worker();
      await new Promise((resolve) => setImmediate(resolve));
      played.world.advanceTo(played.world.clock.now() + 4 * MINUTE);
    }
    return { ...played, calls: () => calls };
  }

  test('that were lost are booked with what they were expected to cost', async () => {
    const whole = await dying(0, {});
    await whole.drive();
    const one = (await whole.view()).usage;
    const twice = await dying(2, {});
    await twice.drive();
    const { usage, status } = await twice.view();
    expect(status).toBe('completed');
    expect(twice.calls()).toBe(3);
    const requests = (await twice.events()).filter((event) => event.type === 'model_call_requested');
    const estimated = requests[0]?.estimatedTokens ?? 0;
    expect(estimated).toBeGreaterThan(0);
    expect(usage.inputTokens).toBe(one.inputTokens + 2 * estimated);
    expect(usage.costUsd).toBeCloseTo((one.costUsd ?? 0) + 2 * estimated * 0.0001);
    expect(await twice.verify()).toEqual([]);
  });

  test('are not begun when those that were lost have met the limit', async () => {
    const { drive, view, calls, rt, run, verify } = await dying(1, { tokens: 1 });
    await drive();
    expect(calls()).toBe(1);
    expect(await view()).toMatchObject({
      status: 'paused',
      interrupts: [{ reason: 'budget_exceeded', facts: { limit: 'tokens', allowed: 1 } }],
    });
    await resumeRun(rt, run, { mode: 'verbatim', by: 'ann', limits: { tokens: 10_000 } });
    await drive();
    expect(calls()).toBe(2);
    expect((await view()).status).toBe('completed');
    expect(await verify()).toEqual([]);
  });
});

describe('limits that are none are refused, and nothing is written', () => {
  const NONE = [
    { steps: -1 },
    { steps: 0 },
    { steps: 1.5 },
    { tokens: Number.NaN },
    { tokens: Number.POSITIVE_INFINITY },
    { costUsd: -0.1 },
    { costUsd: 0 },
    { wallClock: '10m' },
    { depth: -1 },
    { parallelCalls: 0 },
    { patience: 3 },
  ];

  test.each(NONE)('%j at the start', async (limits) => {
    const { rt, world } = await scene();
    const before = world.pending();
    const started = startRun(rt, {
      tenant: 't',
      agent: 'agent',
      input: 'go',
      key: 'k',
      limits: limits as never,
    });
    await expect(started).rejects.toMatchObject({ code: 'bad_limits' });
    expect(world.pending()).toEqual(before);
  });

  test.each(NONE)('%j at the resumption', async (limits) => {
    const { drive, raise, view, world, run } = await endless({ steps: 3 });
    await drive();
    const [interrupt] = (await view()).interrupts;
    await expect(raise({ ...limits, steps: limits.steps ?? 9 } as never)).rejects.toMatchObject({
      code: 'bad_limits',
    });
    expect(await world.decisions.get(run, interrupt?.interruptId ?? '')).toBeUndefined();
    expect(world.pending()).toEqual([]);
    await raise({ steps: 5 });
  });
});

test('what was spent is folded from the log: nothing is forgotten when the snapshots are gone', async () => {
  const { drive, view, world, run, raise, requests } = await endless({ steps: 31 });
  await drive();
  const before = await view();
  await world.log.putManifest(run, { seq: before.seq, fold: 0, state: 'lost' });
  expect(await view()).toEqual(before);
  await raise({ steps: 41 });
  await drive();
  expect(await requests()).toBe(41);
});

describe('limits at the start', () => {
  async function start(own: LimitOptions, limits: object) {
    const played = await scene({ limits: own });
    await played.drive();
    const started = startRun(played.rt, { tenant: 't', agent: 'agent', input: 'go', key: 'k', limits });
    return { ...played, started };
  }

  test.each([
    [{ steps: 5 }, { steps: 6 }],
    [
      { tokens: 5, steps: 5 },
      { tokens: 5, steps: 6 },
    ],
    [{ wallClock: '1h' }, { wallClock: 3_600_001 }],
    [{ depth: 2 }, { depth: 3 }],
    [{}, { depth: 6 }],
    [{ parallelCalls: 2 }, { parallelCalls: 3 }],
  ])('%j of the agent and %j: cannot be raised, and nothing is written', async (own, limits) => {
    const { started, world, rt } = await start(own, limits);
    await expect(started).rejects.toMatchObject({
      code: 'limits_above',
      details: { most: expect.anything() },
    });
    expect((await rt.world.index.list({ tenant: 't', limit: 10 })).headers).toHaveLength(1);
    expect(world.pending()).toEqual([]);
  });

  test.each([
    [{ steps: 5 }, { steps: 4 }, { steps: 4, depth: 5 }],
    [{ steps: 5, tokens: 9 }, { tokens: 9 }, { steps: 5, tokens: 9, depth: 5 }],
    [
      {},
      { steps: 4, wallClock: 1_000, parallelCalls: 1, depth: 0 },
      { steps: 4, wallClock: 1_000, parallelCalls: 1, depth: 0 },
    ],
  ])('%j of the agent and %j: hold where they are lower', async (own, limits, hold) => {
    const { started, drive, rt } = await start(own, limits);
    const { runId } = await started;
    await drive();
    const [first] = await readEvents(rt, { tenant: 't', runId }, { after: -1, limit: 1 });
    expect(first).toMatchObject({ type: 'run_started', limits: hold });
  });
});

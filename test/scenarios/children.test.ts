import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { type Agent, type AgentOptions, defineAgent } from '../../lib/agent.ts';
import type { Event, EventOf } from '../../lib/core/events.ts';
import { registryOf } from '../../lib/registry.ts';
import { decide } from '../../lib/runtime/decide.ts';
import { describeRun } from '../../lib/runtime/describe-run.ts';
import { readEvents } from '../../lib/runtime/read-events.ts';
import { resumeRun } from '../../lib/runtime/resume-run.ts';
import { sweep } from '../../lib/runtime/sweep.ts';
import { cancelRun } from '../../lib/runtime/tell-run.ts';
import { verifyRun } from '../../lib/runtime/verify-run.ts';
import { type ScriptItem, scriptedModel } from '../../lib/testing/index.ts';
import { defineTool, type Tool } from '../../lib/tool.ts';
import { agentTool } from '../../lib/tools/agent-tool.ts';
import { awaitSignal } from '../../lib/tools/await-signal.ts';
import { callOnce, scene } from '../support/scene.ts';

const input = z.object({});

function agentNamed(name: string, script: readonly ScriptItem[], more: Partial<AgentOptions> = {}) {
  return defineAgent({ name, revision: '1', instructions: 'Act.', model: scriptedModel(script), ...more });
}

const calls = (...names: string[]) => names.map((name, n) => ({ name, args: { input: n } }));

/** A run whose agent has other agents as tools. */
async function family(
  agents: readonly ReturnType<typeof agentNamed>[],
  options: Parameters<typeof scene>[0],
) {
  const [child] = agents;
  const played = await scene({ tools: [agentTool(child as Agent)], beside: agents, ...options });
  const { rt } = played;
  /** The runs below a run, those that are over included. */
  const below = async (runId = played.run.runId) => {
    const log = await readEvents(rt, { tenant: 't', runId }, { after: -1, limit: 1_000 });
    return log.flatMap((event) => (event.type === 'interrupted' && event.child ? [event.child.runId] : []));
  };
  const viewOf = (runId: string) => describeRun(rt, { tenant: 't', runId });
  const logOf = (runId: string) => readEvents(rt, { tenant: 't', runId }, { after: -1, limit: 1_000 });
  const violations = async () => {
    const all = [played.run.runId];
    for (const runId of all) all.push(...(await below(runId)));
    const found = await Promise.all(all.map((runId) => verifyRun(rt, { tenant: 't', runId })));
    return found.flatMap((each) => each.violations);
  };
  return { ...played, below, viewOf, logOf, violations };
}

function results(log: readonly Event[]): unknown[] {
  return log.flatMap((event) => (event.type === 'tool_returned' ? [event.result ?? event.error] : []));
}

test('a child is a run of its own, and its output is what the call gives', async () => {
  const child = agentNamed('child', ['grown']);
  const { drive, below, viewOf, run, events, view, violations } = await family([child], {
    script: callOnce('child', { input: { task: 'grow' } }),
  });
  await drive();
  const [runId = ''] = await below();
  expect(await viewOf(runId)).toMatchObject({
    agent: 'child',
    status: 'completed',
    input: { task: 'grow' },
    output: 'grown',
    parent: { runId: run.runId },
  });
  expect(results(await events())).toEqual(['grown']);
  expect((await view()).status).toBe('completed');
  expect(await violations()).toEqual([]);
});

test('inputs and outputs of every size come through, and each run holds its own copy', async () => {
  const text = 'é'.repeat(150_000);
  const seen: string[] = [];
  const child = agentNamed('child', [
    (prompt) => {
      seen.push(JSON.stringify(prompt.at(-1)?.content));
      return text;
    },
  ]);
  const { drive, run, world, events, violations } = await family([child], {
    script: callOnce('child', { input: text }),
  });
  await drive();
  expect(seen).toEqual([expect.stringContaining(text)]);
  const returned = (await events()).find((event) => event.type === 'tool_returned');
  const { sha256 = '' } = returned?.resultRef ?? {};
  expect(await world.blobs.get(run, sha256)).toEqual(new Uint8Array(Buffer.from(JSON.stringify(text))));
  expect(await violations()).toEqual([]);
});

test('a child is started once, whoever starts it and however often', async () => {
  const child = agentNamed('child', ['grown']);
  const { world, run, rt, worker, below, drive, logOf, events, violations } = await family([child], {
    script: callOnce('child', { input: 1 }),
  });
  await worker().done;
  await worker().done;
  const [runId = ''] = await below();
  // Nobody heard that it was started, and everybody looks again.
  for (let n = 0; n < 5; n++) await world.wakes.send({ ...run, news: true, swept: true }, { lane: 'fast' });
  await Promise.all([worker().done, worker().done, worker().done]);
  await drive();
  expect(
    (await world.inbox.read({ tenant: 't', runId }, 0)).filter(({ kind }) => kind === 'start'),
  ).toHaveLength(1);
  expect((await logOf(runId)).filter(({ type }) => type === 'run_started')).toHaveLength(1);
  expect((await rt.world.index.list({ tenant: 't', limit: 10 })).headers).toHaveLength(2);
  expect(results(await events())).toEqual(['grown']);
  expect(await violations()).toEqual([]);
});

test('a child that ends tells its parent once, however often it is looked at', async () => {
  const child = agentNamed('child', ['grown']);
  const { world, run, below, drive, events } = await family([child], {
    tools: [agentTool(child), awaitSignal],
    script: [{ toolCalls: [...calls('child'), { name: 'awaitSignal', args: { name: 'never' } }] }, 'done'],
  });
  await drive();
  const [runId = ''] = await below();
  for (let n = 0; n < 3; n++) {
    await world.wakes.send({ tenant: 't', runId, news: true, swept: true }, { lane: 'fast' });
    await drive();
  }
  const told = (await world.inbox.read(run, 0)).filter(({ kind }) => kind === 'child_end');
  expect(told).toHaveLength(1);
  expect((await events()).filter((event) => event.type === 'resumed')).toMatchObject([
    { by: `run:${runId}` },
  ]);
});

describe('a child that gives nothing is an error for the model', () => {
  test('one that failed', async () => {
    const child = agentNamed('child', ['no', 'no', 'no', 'no', 'no'], {
      output: z.object({ n: z.number() }),
    });
    const { drive, events, view, violations } = await family([child], {
      script: callOnce('child', { input: 1 }),
    });
    await drive();
    expect(results(await events())).toMatchObject([
      { code: 'child_failed', message: expect.stringContaining('does not fit the schema') },
    ]);
    expect((await view()).status).toBe('completed');
    expect(await violations()).toEqual([]);
  });

  test('one that a person has cancelled', async () => {
    const child = agentNamed('child', callOnce('awaitSignal', { name: 'never' }), { tools: [awaitSignal] });
    const { rt, drive, below, events, view, violations } = await family([child], {
      script: callOnce('child', { input: 1 }),
    });
    await drive();
    const [runId = ''] = await below();
    await cancelRun(rt, { tenant: 't', runId }, { by: 'ann' });
    await drive();
    expect(results(await events())).toMatchObject([{ code: 'child_cancelled' }]);
    expect((await view()).status).toBe('completed');
    expect(await violations()).toEqual([]);
  });
});

test('a person decides in the child, and the parent goes on', async () => {
  const sent: number[] = [];
  const pay = defineTool({
    name: 'pay',
    description: 'Pay.',
    input,
    effect: 'once',
    approval: {},
    run: () => sent.push(1),
  });
  const child = agentNamed('child', callOnce('pay'), { tools: [pay] });
  const { rt, drive, below, viewOf, view, world, violations } = await family([child], {
    script: callOnce('child', { input: 1 }),
  });
  await drive();
  const [runId = ''] = await below();
  expect(await view()).toMatchObject({
    status: 'paused',
    interrupts: [{ reason: 'awaiting_child', child: { runId } }],
  });
  expect(world.notices()).toContainEqual(expect.objectContaining({ runId, reason: 'awaiting_approval' }));
  const [interrupt] = (await viewOf(runId)).interrupts;
  await decide(rt, { tenant: 't', runId }, interrupt?.interruptId ?? '', { decision: 'approve', by: 'ann' });
  await drive();
  expect(sent).toHaveLength(1);
  expect((await view()).status).toBe('completed');
  expect(await violations()).toEqual([]);
});

describe('limits', () => {
  const limitsOf = async (log: readonly Event[]) =>
    log.flatMap((event) => (event.type === 'interrupted' && event.child ? [event.child.limits] : []));
  const act = defineTool({ name: 'act', description: 'Act.', input, effect: 'read', run: () => 1 });
  const idle = () => agentNamed('child', callOnce('awaitSignal', { name: 'go' }), { tools: [awaitSignal] });

  test('of a child are a share of what its parent has left, so that all of them and the parent fit', async () => {
    const { drive, logOf, run, below, viewOf } = await family([idle()], {
      script: [{ toolCalls: calls('child', 'child', 'child') }, 'done'],
      limits: { steps: 101, tokens: 10_000, wallClock: '1h' },
    });
    await drive(0);
    const given = await limitsOf(await logOf(run.runId));
    expect(given).toHaveLength(3);
    const steps = given.map((limits) => limits?.steps ?? 0);
    // One step is taken, a hundred are left: a quarter of them, then a quarter of the rest, and again.
    expect(steps).toEqual([25, 18, 14]);
    expect(given.reduce((sum, limits) => sum + (limits?.tokens ?? 0), 0)).toBeLessThan(10_000);
    expect(given.map((limits) => limits?.wallClock)).toEqual([3_600_000, 3_600_000, 3_600_000]);
    const children = await Promise.all((await below()).map(viewOf));
    expect(children.map(({ limits }) => limits.steps)).toEqual(steps);
  });

  test('of a child are its own where those are lower', async () => {
    const child = agentNamed('child', ['grown'], { limits: { steps: 3, tokens: 500 } });
    const { drive, logOf, run } = await family([child], {
      script: callOnce('child', { input: 1 }),
      limits: { steps: 101, tokens: 100_000 },
    });
    await drive();
    expect(await limitsOf(await logOf(run.runId))).toMatchObject([{ steps: 3, tokens: 500 }]);
  });

  test('that a child has not used are given back when it ends, and what it used counts', async () => {
    const child = agentNamed('child', [{ toolCalls: [{ name: 'act', args: {} }] }, 'grown'], {
      tools: [act],
    });
    const script = [
      { toolCalls: calls('child') },
      ...Array.from({ length: 9 }, () => ({ toolCalls: [{ name: 'act', args: {} }] })),
      'done',
    ];
    const { drive, view, logOf, run, violations } = await family([child], {
      tools: [agentTool(child), act],
      script,
      limits: { steps: 20 },
    });
    await drive();
    expect(await limitsOf(await logOf(run.runId))).toMatchObject([{ steps: 9 }]);
    // Its own first step, three of the child, then two by two: the twentieth is the last.
    expect((await view()).interrupts).toMatchObject([
      { reason: 'budget_exceeded', facts: { limit: 'steps', allowed: 20, used: 20 } },
    ]);
    const log = await logOf(run.runId);
    expect(log.filter(({ type }) => type.endsWith('_requested'))).toHaveLength(17);
    expect(log.find((event) => event.type === 'resumed')).toMatchObject({ outcome: { used: { steps: 3 } } });
    expect(await violations()).toEqual([]);
  });

  test('that a child meets stop the child, and a person raises them there', async () => {
    const child = agentNamed('child', [{ toolCalls: [{ name: 'act', args: {} }] }, 'grown'], {
      tools: [act],
      limits: { steps: 2 },
    });
    const { rt, drive, below, viewOf, view, violations } = await family([child], {
      script: callOnce('child', { input: 1 }),
      limits: { steps: 50 },
    });
    await drive();
    const [runId = ''] = await below();
    expect((await viewOf(runId)).interrupts).toMatchObject([{ reason: 'budget_exceeded' }]);
    expect((await view()).interrupts).toMatchObject([{ reason: 'awaiting_child' }]);
    await resumeRun(rt, { tenant: 't', runId }, { mode: 'verbatim', by: 'ann', limits: { steps: 5 } });
    await drive();
    expect((await view()).status).toBe('completed');
    expect(await violations()).toEqual([]);
  });

  test('of calls in flight hold for children too: no more are open at once', async () => {
    const child = idle();
    const { rt, drive, below, viewOf, view, violations } = await family([child], {
      script: [{ toolCalls: calls('child', 'child', 'child', 'child', 'child') }, 'done'],
      limits: { parallelCalls: 2 },
    });
    const open = async () => {
      const all = await Promise.all((await below()).map(viewOf));
      return all.filter(({ endedAt }) => endedAt === undefined);
    };
    await drive();
    for (let left = 5; left > 0; left--) {
      expect(await open()).toHaveLength(Math.min(2, left));
      expect((await view()).status).toBe('paused');
      await cancelRun(rt, { tenant: 't', runId: (await open())[0]?.runId ?? '' }, { by: 'ann' });
      await drive();
    }
    expect(await below()).toHaveLength(5);
    expect((await view()).status).toBe('completed');
    expect(await violations()).toEqual([]);
  });
});

describe('depth', () => {
  /** Agents that call each other without end. */
  function loop(limits: AgentOptions['limits'] = {}) {
    const script = (name: string): ScriptItem[] => [{ toolCalls: calls(name) }, 'back'];
    const ping = agentNamed('ping', script('pong'), { tools: [agentTool(agentNamed('pong', []))] });
    const pong = agentNamed('pong', script('ping'), { tools: [agentTool(ping)] });
    return family([ping, pong], { script: callOnce('ping', { input: 1 }), limits });
  }

  async function chain({ below, run }: Awaited<ReturnType<typeof loop>>) {
    const runs = [run.runId];
    for (const runId of runs) runs.push(...(await below(runId)));
    return runs;
  }

  test.each([
    [{}, 6],
    [{ depth: 3 }, 4],
    [{ depth: 1 }, 2],
    [{ depth: 0 }, 1],
  ])('%j: agents that call each other come to an end', async (limits, runs) => {
    const played = await loop(limits);
    await played.drive();
    const all = await chain(played);
    expect(all).toHaveLength(runs);
    const last = await played.logOf(all.at(-1) ?? '');
    const refused = last.find((event): event is EventOf<'tool_returned'> => event.type === 'tool_returned');
    expect(refused).toMatchObject({ source: 'invalid', error: { code: 'depth_exceeded' } });
    expect((await played.view()).status).toBe('completed');
    expect(await played.violations()).toEqual([]);
  });

  test('of a child is no more than what its parent has left, and its own where that is lower', async () => {
    const leaf = agentNamed('leaf', ['leaf']);
    const middle = agentNamed('middle', callOnce('leaf', { input: 1 }), {
      tools: [agentTool(leaf)],
      limits: { depth: 0 },
    });
    const played = await family([middle, leaf], {
      script: callOnce('middle', { input: 1 }),
      limits: { depth: 9 },
    });
    await played.drive();
    expect(await chain(played as Awaited<ReturnType<typeof loop>>)).toHaveLength(2);
    const [runId = ''] = await played.below();
    expect(results(await played.logOf(runId))).toMatchObject([{ code: 'depth_exceeded' }]);
  });
});

describe('a cancel', () => {
  /** Three runs below one another, of which the last is at work, or waits. */
  async function tree(tool: Tool, args: unknown = {}) {
    const leaf = agentNamed('leaf', callOnce(tool.name, args), { tools: [tool] });
    const middle = agentNamed('middle', callOnce('leaf', { input: 1 }), { tools: [agentTool(leaf)] });
    const played = await family([middle, leaf], { script: callOnce('middle', { input: 1 }) });
    return { ...played, middle: async () => (await played.below())[0] ?? '' };
  }

  test('goes down the tree, and every run ends', async () => {
    const { rt, run, drive, below, viewOf, middle, violations } = await tree(awaitSignal, { name: 'never' });
    await drive();
    await cancelRun(rt, run, { by: 'ann', reason: 'too dear' });
    await drive();
    const [leaf = ''] = await below(await middle());
    for (const runId of [run.runId, await middle(), leaf]) {
      expect(await viewOf(runId)).toMatchObject({
        status: 'cancelled',
        unresolved: [],
        cancel: { reason: 'too dear' },
      });
    }
    expect((await viewOf(leaf)).cancel?.by).toBe(`run:${await middle()}`);
    expect(await violations()).toEqual([]);
  });

  test('lets a call of a child that is in flight settle', async () => {
    const end = Promise.withResolvers<unknown>();
    const reached = Promise.withResolvers<void>();
    const act = defineTool({
      name: 'act',
      description: 'Act.',
      input,
      effect: 'once',
      run: () => {
        reached.resolve();
        return end.promise;
      },
    });
    const { rt, run, drive, worker, below, logOf, viewOf, middle, violations } = await tree(act);
    let done = Promise.resolve();
    for (let n = 0; n < 6; n++) {
      done = worker().done;
      await Promise.race([done, reached.promise]);
    }
    await cancelRun(rt, run, { by: 'ann' });
    await drive(0);
    const [leaf = ''] = await below(await middle());
    expect((await viewOf(run.runId)).status).toBe('cancelled');
    expect(await viewOf(leaf)).toMatchObject({ status: 'running', cancelRequested: true });
    end.resolve('done');
    await done;
    await drive();
    expect((await logOf(leaf)).slice(-2).map(({ type }) => type)).toEqual(['tool_returned', 'run_cancelled']);
    expect(await violations()).toEqual([]);
  });

  test('ends a child that was never started, too', async () => {
    const { rt, run, world, drive, worker, viewOf, middle, violations } = await tree(awaitSignal, {
      name: 'never',
    });
    await worker().done;
    const { append } = world.inbox;
    world.inbox.append = () => Promise.reject(new Error('killed'));
    await expect(worker().done).rejects.toThrow('killed');
    world.inbox.append = append;
    await cancelRun(rt, run, { by: 'ann' });
    await drive();
    expect(await viewOf(run.runId)).toMatchObject({ status: 'cancelled' });
    expect(await viewOf(await middle())).toMatchObject({ status: 'cancelled' });
    expect(await violations()).toEqual([]);
  });

  test('of a parent whose child is over already is no trouble', async () => {
    const child = agentNamed('child', ['grown']);
    const { rt, run, world, drive, worker, view, violations } = await family([child], {
      script: callOnce('child', { input: 1 }),
    });
    await worker().done;
    await worker().done;
    // The child ends, and its parent is cancelled before it looks.
    const { append } = world.inbox;
    world.inbox.append = async (key, entry) => {
      if (entry.kind === 'child_end') await cancelRun(rt, run, { by: 'ann' });
      return append(key, entry);
    };
    await drive();
    expect((await view()).status).toBe('cancelled');
    expect(await violations()).toEqual([]);
  });
});

describe('a child that this deployment does not serve', () => {
  test('is refused when the agents are loaded', () => {
    const child = agentNamed('child', ['grown']);
    const parent = agentNamed('parent', ['done'], { tools: [agentTool(child)] });
    expect(() => registryOf([parent])).toThrow(
      expect.objectContaining({ code: 'unregistered_child', message: expect.stringContaining('child') }),
    );
    expect(() => registryOf([parent, child])).not.toThrow();
  });

  test('is set aside with its cause, and ends when its parent is cancelled', async () => {
    const child = agentNamed('child', ['grown']);
    const { world, rt, run, drive, worker, below, viewOf, agentOf, violations } = await family([child], {
      script: callOnce('child', { input: 1 }),
    });
    await worker().done;
    await worker().done;
    const all = rt.agents;
    Object.assign(rt, { agents: new Map([['agent', agentOf()]]) });
    await drive();
    const [runId = ''] = await below();
    expect(await viewOf(runId)).toMatchObject({ status: 'stalled', stalled: { code: 'unknown_agent' } });
    await cancelRun(rt, run, { by: 'ann' });
    await drive();
    expect((await viewOf(run.runId)).status).toBe('cancelled');
    Object.assign(rt, { agents: all });
    world.advanceTo(world.clock.now() + 3_600_000);
    expect(await sweep(rt)).toBe(1);
    await drive();
    expect((await viewOf(runId)).status).toBe('cancelled');
    expect(await violations()).toEqual([]);
  });
});

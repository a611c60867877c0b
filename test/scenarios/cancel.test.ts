import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { keyed, lookup, once } from '../../lib/core/effect.ts';
import { cancelRun, sendMessage, sendSignal } from '../../lib/runtime/tell-run.ts';
import { defineTool, type ToolOptions } from '../../lib/tool.ts';
import { askHuman } from '../../lib/tools/ask-human.ts';
import { awaitSignal } from '../../lib/tools/await-signal.ts';
import { sleepUntil } from '../../lib/tools/sleep-until.ts';
import { callOnce, scene } from '../support/scene.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const input = z.object({});
type Effect = NonNullable<ToolOptions<typeof input>['effect']>;

/** A tool that says when it was reached, and hangs until it is told how to end. */
function hanging(effect: Effect) {
  const end = Promise.withResolvers<unknown>();
  const reached = Promise.withResolvers<void>();
  const sent: string[] = [];
  const tool = defineTool({
    name: 'act',
    description: 'Act.',
    input,
    effect,
    timeout: '60s',
    run: (_, ctx) => {
      sent.push(ctx.idempotencyKey);
      reached.resolve();
      return end.promise;
    },
  });
  return { tool, sent, end, reached: reached.promise };
}

/** A run whose call is in flight. */
async function inFlight(effect: Effect) {
  const act = hanging(effect);
  const played = await scene({ tools: [act.tool], script: callOnce('act') });
  await played.worker().done;
  const worker = played.worker();
  await act.reached;
  return { ...act, ...played, worker };
}

const reset = () => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });

test('a call in flight settles first: its result is in the log, and then the run is cancelled', async () => {
  const { rt, run, drive, end, worker, view, types, verify } = await inFlight('once');
  await cancelRun(rt, run, { by: 'ann', reason: 'too dear' });
  await drive(MINUTE / 2);
  expect(await view()).toMatchObject({ status: 'running', cancelRequested: true });
  end.resolve('done after all');
  await worker.done;
  await drive();
  expect((await types()).slice(-3)).toEqual(['cancel_requested', 'tool_returned', 'run_cancelled']);
  expect(await view()).toMatchObject({ status: 'cancelled', unresolved: [] });
  expect(await verify()).toEqual([]);
});

test('a model call in flight settles first, and what it asked for is not done', async () => {
  const called = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  const act = hanging('read');
  const { rt, run, drive, worker, view, agentOf, types, verify } = await scene({ tools: [act.tool] });
  const { model } = agentOf({});
  const doGenerate = model.doGenerate.bind(model);
  rt.agents.get('agent')!.model.doGenerate = async (options) => {
    called.resolve();
    await answer.promise;
    const answered = await doGenerate(options);
    return {
      ...answered,
      content: [{ type: 'tool-call' as const, toolCallId: 'c', toolName: 'act', input: '{}' }],
    };
  };
  const { done } = worker();
  await called.promise;
  await cancelRun(rt, run, { by: 'ann' });
  await drive(0);
  answer.resolve();
  await done;
  await drive();
  expect((await types()).slice(-3)).toEqual(['cancel_requested', 'model_responded', 'run_cancelled']);
  expect(act.sent).toEqual([]);
  expect(await view()).toMatchObject({ status: 'cancelled', unresolved: [] });
  expect(await verify()).toEqual([]);
});

describe('a call whose worker died before the cancel', () => {
  async function died(effect: Effect, after = HOUR) {
    const played = await inFlight(effect);
    await cancelRun(played.rt, played.run, { by: 'ann' });
    await played.drive(after);
    return played;
  }

  test.each([
    ['read', 'read'],
    ['keyed', keyed({ window: '24h' })],
    ['once', once()],
  ] as const)('is named as unresolved where it is %s, and not sent again', async (_, effect) => {
    const { view, sent, verify, types } = await died(effect);
    expect(await view()).toMatchObject({ status: 'cancelled', unresolved: ['1.0'] });
    expect(sent).toHaveLength(1);
    expect(await types()).not.toContain('interrupted');
    expect(await verify()).toEqual([]);
  });

  test.each([
    ['was done', { found: 'seen' }, []],
    ['was not done', 'not_found', []],
    ['may have been done', 'unknown', ['1.0']],
  ] as const)('is asked about where it can be: it %s', async (_, answer, unresolved) => {
    const asked: string[] = [];
    const find = (key: string) => {
      asked.push(key);
      return answer;
    };
    const { run, view, events, sent, verify } = await died(lookup({ find, horizon: '60s' }));
    expect(asked).toEqual([`${run.runId}:2`]);
    expect(sent).toHaveLength(1);
    expect(await view()).toMatchObject({ status: 'cancelled', unresolved });
    const returned = (await events()).filter((event) => event.type === 'tool_returned');
    expect(returned).toMatchObject(
      answer instanceof Object ? [{ source: 'reconciled', result: 'seen' }] : [],
    );
    expect(await verify()).toEqual([]);
  });

  test('is not asked about before its horizon has passed, and the run waits for that', async () => {
    const asked: string[] = [];
    const find = (key: string) => {
      asked.push(key);
      return 'unknown' as const;
    };
    const played = await inFlight(lookup({ find, horizon: '30m' }));
    await cancelRun(played.rt, played.run, { by: 'ann' });
    await played.driveUntil(played.world.clock.now() + 30 * MINUTE);
    expect(asked).toEqual([]);
    expect(await played.view()).toMatchObject({ status: 'running', cancelRequested: true });
    await played.drive();
    expect(asked).toHaveLength(1);
    expect((await played.view()).status).toBe('cancelled');
  });
});

test('a call that a person was asked about is named as unresolved', async () => {
  const { rt, run, drive, end, worker, view, verify } = await inFlight('once');
  end.reject(reset());
  await worker.done;
  await drive();
  expect((await view()).interrupts).toMatchObject([{ reason: 'in_doubt' }]);
  await cancelRun(rt, run, { by: 'ann' });
  await drive();
  expect(await view()).toMatchObject({ status: 'cancelled', unresolved: ['1.0'], interrupts: [] });
  expect(await verify()).toEqual([]);
});

test('decisions are refused after a cancel: while it is carried out, and after the end', async () => {
  const gate = defineTool({
    name: 'gate',
    description: 'Act.',
    input,
    effect: 'once',
    approval: {},
    run: () => 1,
  });
  const act = hanging('read');
  const calls = [
    { name: 'gate', args: {} },
    { name: 'act', args: {} },
  ];
  const { rt, run, world, drive, worker, view, decide, verify } = await scene({
    tools: [gate, act.tool],
    script: [{ toolCalls: calls }, 'done'],
  });
  await worker().done;
  await worker().done;
  const { done } = worker();
  await act.reached;
  const id = (await view()).interrupts[0]?.interruptId ?? '';
  await cancelRun(rt, run, { by: 'bob' });
  await drive(0);
  const at = new Date(world.clock.now()).toISOString();
  await expect(decide(id, 'approve')).rejects.toMatchObject({
    code: 'run_cancelling',
    details: { by: 'bob', at },
  });
  expect(await world.decisions.get(run, id)).toBeUndefined();
  act.end.resolve(1);
  await done;
  await drive();
  await expect(decide(id, 'approve')).rejects.toMatchObject({
    code: 'run_ended',
    details: { ended: 'cancelled' },
  });
  expect(await world.decisions.get(run, id)).toBeUndefined();
  expect(await verify()).toEqual([]);
});

test('while a cancel waits for a call in flight, nothing is claimed and nothing resumed', async () => {
  const later: unknown[] = [];
  const gate = defineTool({
    name: 'gate',
    description: 'Act.',
    input,
    effect: 'once',
    approval: {},
    run: () => 1,
  });
  const free = defineTool({
    name: 'free',
    description: 'Act.',
    input,
    effect: 'read',
    run: () => later.push(1),
  });
  const act = hanging('read');
  const calls = [
    { name: 'gate', args: {} },
    { name: 'sleepUntil', args: { for: '30s' } },
    { name: 'act', args: {} },
    { name: 'free', args: {} },
  ];
  const { rt, run, world, driveUntil, drive, worker, view, types, verify } = await scene({
    tools: [gate, sleepUntil, act.tool, free],
    script: [{ toolCalls: calls }, 'done'],
  });
  for (let n = 0; n < 3; n++) await worker().done;
  const { done } = worker();
  await act.reached;
  const wakeOfFree = world.receive();
  const [approval] = (await view()).interrupts;
  await cancelRun(rt, run, { by: 'ann' });
  await driveUntil(world.clock.now());
  // Somebody who had looked before the cancel was a moment slower.
  await world.decisions.put(run, {
    interruptId: approval?.interruptId ?? '',
    decision: 'approve',
    by: 'bob',
    at: new Date(world.clock.now()).toISOString(),
    ...(approval?.argsHash !== undefined && { argsHash: approval.argsHash }),
  });
  await world.wakes.send({ ...run, news: true }, { lane: 'fast' });
  world.release(wakeOfFree?.receipt ?? '');
  await driveUntil(world.clock.now() + 45_000);
  expect((await types()).at(-1)).toBe('cancel_requested');
  act.end.resolve(1);
  await done;
  await drive();
  expect((await types()).slice(-3)).toEqual(['cancel_requested', 'tool_returned', 'run_cancelled']);
  expect(later).toEqual([]);
  expect(await verify()).toEqual([]);
});

test('a dangling call is asked about when nothing else is in flight any more', async () => {
  const asked: string[] = [];
  const find = (key: string) => {
    asked.push(key);
    return 'unknown' as const;
  };
  const dropped = defineTool({
    name: 'dropped',
    description: 'Act.',
    input,
    effect: lookup({ find, horizon: '1s' }),
    run: () => Promise.reject(reset()),
  });
  const act = hanging('read');
  const calls = [
    { name: 'act', args: {} },
    { name: 'dropped', args: {} },
  ];
  const { rt, run, world, drive, driveUntil, worker, view } = await scene({
    tools: [act.tool, dropped],
    script: [{ toolCalls: calls }, 'done'],
  });
  await worker().done;
  const { done } = worker();
  await act.reached;
  await worker().done;
  await cancelRun(rt, run, { by: 'ann' });
  await driveUntil(world.clock.now() + MINUTE);
  expect(asked).toEqual([]);
  act.end.resolve(1);
  await done;
  await drive();
  expect(asked).toHaveLength(1);
  expect(await view()).toMatchObject({ status: 'cancelled', unresolved: ['1.1'] });
});

test('an approval that was given before the cancel sends nothing after it', async () => {
  const sent: unknown[] = [];
  const gate = defineTool({
    name: 'gate',
    description: 'Act.',
    input,
    effect: 'once',
    approval: {},
    run: () => sent.push(1),
  });
  const { rt, run, drive, view, decide, types, verify } = await scene({
    tools: [gate],
    script: callOnce('gate'),
  });
  await drive();
  await decide((await view()).interrupts[0]?.interruptId ?? '', 'approve');
  await cancelRun(rt, run, { by: 'ann' });
  await drive();
  expect((await types()).slice(-3)).toEqual(['resumed', 'cancel_requested', 'run_cancelled']);
  expect(sent).toEqual([]);
  expect(await view()).toMatchObject({ status: 'cancelled', unresolved: [] });
  expect(await verify()).toEqual([]);
});

describe('whatever it waits for, a cancelled run ends at once and nothing comes of what it waited for', () => {
  const day = '1d';
  test.each([
    ['a sleep', sleepUntil, { for: day }],
    ['an answer', askHuman, { question: 'Shall I?', timeout: day }],
    ['a signal', awaitSignal, { name: 'paid', timeout: day }],
  ] as const)('%s', async (_, tool, args) => {
    const { rt, run, world, drive, view, types, verify } = await scene({
      tools: [tool],
      script: callOnce(tool.name, args),
    });
    await drive();
    expect((await view()).status).toBe('paused');
    await cancelRun(rt, run, { by: 'ann' });
    const before = world.clock.now();
    await drive(MINUTE);
    expect(world.clock.now() - before).toBeLessThanOrEqual(MINUTE);
    expect(await view()).toMatchObject({ status: 'cancelled', interrupts: [] });
    const ended = await types();
    await drive(2 * 24 * HOUR);
    expect(await types()).toEqual(ended);
    expect(world.pending()).toEqual([]);
    expect(await world.index.get(run)).toMatchObject({ status: 'cancelled' });
    expect(await verify()).toEqual([]);
  });

  test('another attempt', async () => {
    let sent = 0;
    const act = defineTool({
      name: 'act',
      description: 'Act.',
      input,
      effect: 'once',
      run: () => {
        sent++;
        throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
      },
    });
    const { rt, run, drive, worker, view, types, verify } = await scene({
      tools: [act],
      script: callOnce('act'),
    });
    await worker().done;
    await worker().done;
    expect((await types()).at(-1)).toBe('tool_call_failed');
    await cancelRun(rt, run, { by: 'ann' });
    await drive();
    expect(sent).toBe(1);
    expect(await view()).toMatchObject({ status: 'cancelled', unresolved: [] });
    expect(await verify()).toEqual([]);
  });

  test('its start', async () => {
    const { rt, run, drive, types, verify } = await scene();
    await cancelRun(rt, run, { by: 'ann' });
    await drive();
    expect(await types()).toEqual(['run_started', 'cancel_requested', 'run_cancelled']);
    expect(await verify()).toEqual([]);
  });
});

test('the cancel of the same person counts once, even where the first was folded while the second was put', async () => {
  const { world, rt, run, drive, end, worker, types, view, verify } = await inFlight('once');
  const { append } = world.inbox;
  world.inbox.append = async (key, entry) => {
    world.inbox.append = append;
    await cancelRun(rt, run, { by: 'ann' });
    await drive(0);
    return append(key, entry);
  };
  await cancelRun(rt, run, { by: 'ann' });
  await drive(0);
  end.resolve(1);
  await worker.done;
  await drive();
  expect((await types()).filter((type) => type === 'cancel_requested')).toHaveLength(1);
  expect(await view()).toMatchObject({ status: 'cancelled' });
  expect(await verify()).toEqual([]);
});

test('who cancels first has cancelled the run, whoever does so after', async () => {
  const { world, rt, run, drive, end, worker, events, verify } = await inFlight('once');
  const { append } = world.inbox;
  world.inbox.append = async (key, entry) => {
    world.inbox.append = append;
    await cancelRun(rt, run, { by: 'ann', reason: 'too dear' });
    await drive(0);
    return append(key, entry);
  };
  await cancelRun(rt, run, { by: 'bob' });
  await drive(0);
  end.resolve(1);
  await worker.done;
  await drive();
  const log = await events();
  expect(log.filter((event) => event.type === 'cancel_requested')).toMatchObject([
    { by: 'ann' },
    { by: 'bob' },
  ]);
  expect(log.at(-1)).toMatchObject({ type: 'run_cancelled', by: 'ann' });
  expect(await verify()).toEqual([]);
});

test('messages and signals are refused after the end that a cancel made, and the cancel again is the same answer', async () => {
  const { rt, run, drive, view, world } = await scene();
  await cancelRun(rt, run, { by: 'ann' });
  await drive();
  const told = { code: 'run_ended', details: { ended: 'cancelled', at: (await view()).endedAt } };
  await expect(sendMessage(rt, run, { content: 'wait' })).rejects.toMatchObject(told);
  await expect(sendSignal(rt, run, { name: 'paid' })).rejects.toMatchObject(told);
  await expect(cancelRun(rt, run, { by: 'bob' })).resolves.toBeUndefined();
  expect(await world.inbox.read(run, 3)).toEqual([]);
});

test('a run that has ended otherwise cannot be cancelled, and says how it ended', async () => {
  const { rt, run, drive } = await scene();
  await drive();
  await expect(cancelRun(rt, run, { by: 'ann' })).rejects.toMatchObject({
    code: 'run_ended',
    details: { ended: 'completed' },
  });
});

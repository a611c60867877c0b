import type { LanguageModelV4Prompt } from '@ai-sdk/provider';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { Agent } from '../../lib/agent.ts';
import type { Event } from '../../lib/core/events.ts';
import { sha256 } from '../../lib/core/hash.ts';
import type { RunKey } from '../../lib/ports/run-key.ts';
import { resumeRun } from '../../lib/runtime/resume-run.ts';
import type { Runtime } from '../../lib/runtime/runtime.ts';
import { cancelRun, sendMessage, sendSignal } from '../../lib/runtime/tell-run.ts';
import type { ScriptedAnswer, ScriptItem } from '../../lib/testing/index.ts';
import { defineTool } from '../../lib/tool.ts';
import { askHuman } from '../../lib/tools/ask-human.ts';
import { awaitSignal } from '../../lib/tools/await-signal.ts';
import { refusal } from '../support/provider-rules.ts';
import { callOnce, scene } from '../support/scene.ts';

const DAY = 86_400_000;

/** What the tools of a run have given, in the order of their calls. */
function results(log: readonly Event[]): unknown[] {
  return log.flatMap((event) => (event.type === 'tool_returned' ? [event.result ?? event.error] : []));
}

/** The roles and texts of a prompt, without the instructions. */
function told(prompt: LanguageModelV4Prompt): string[] {
  return prompt.slice(1).map(({ role, content }) => {
    const text = JSON.stringify(content);
    return role === 'user' ? `user ${text.match(/"text":"([^"]*)"/)?.[1]}` : role;
  });
}

/** A script item that notes what the model was asked. */
function noting(prompts: LanguageModelV4Prompt[], item: string | ScriptedAnswer) {
  return (prompt: LanguageModelV4Prompt) => {
    prompts.push(prompt);
    return item;
  };
}

/** Lets the model's answers wait until they are let go. */
function holdModel(rt: Runtime) {
  const asked = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  const agent = rt.agents.get('agent') as Agent;
  const { doGenerate } = agent.model;
  agent.model.doGenerate = async (options) => {
    asked.resolve();
    await go.promise;
    return doGenerate(options);
  };
  return { asked: asked.promise, answer: go.resolve };
}

describe('a question with a schema', () => {
  const schema = { type: 'object', properties: { n: { type: 'integer', minimum: 1 } }, required: ['n'] };
  async function asked() {
    const played = await scene({
      tools: [askHuman],
      script: callOnce('askHuman', { question: 'How many?', schema, timeout: '1d' }),
    });
    await played.drive();
    const [interrupt] = (await played.view()).interrupts;
    return { ...played, interrupt, id: interrupt?.interruptId ?? '' };
  }

  test('is shown with its schema and what it takes', async () => {
    const { interrupt } = await asked();
    const expiresAt = new Date(Date.parse(interrupt?.since ?? '') + DAY).toISOString();
    expect(interrupt).toMatchObject({ question: 'How many?', schema, expiresAt, decisions: ['answer'] });
  });

  test.each([[{ n: 0 }], [{ n: 'many' }], ['three'], [{}], [null]])(
    'refuses %j, and says why',
    async (value) => {
      const { decide, id, world, run, drive, types } = await asked();
      const before = await types();
      await expect(decide(id, 'answer', { value })).rejects.toMatchObject({
        code: 'wrong_answer',
        message: expect.stringMatching(/expected an answer that fits the schema of i\d+: ✖ /),
      });
      expect(await world.decisions.get(run, id)).toBeUndefined();
      await drive();
      expect(await types()).toEqual(before);
      await decide(id, 'answer', { value: { n: 3 } });
    },
  );

  test('gives the answer that fits', async () => {
    const { decide, id, drive, events, view, verify } = await asked();
    await decide(id, 'answer', { value: { n: 3 } });
    await drive();
    expect(results(await events())).toEqual([{ n: 3 }]);
    expect((await view()).status).toBe('completed');
    expect(await verify()).toEqual([]);
  });

  test('takes no answer without a value, no other decision, and none after its time', async () => {
    const { decide, id, drive, events } = await asked();
    await expect(decide(id, 'answer')).rejects.toMatchObject({ code: 'value_required' });
    await expect(decide(id, 'approve')).rejects.toMatchObject({
      code: 'wrong_decision',
      details: { expected: ['answer'] },
    });
    await drive(2 * DAY);
    expect(results(await events())).toEqual([{ timedOut: true }]);
    await expect(decide(id, 'answer', { value: { n: 3 } })).rejects.toMatchObject({
      code: 'already_decided',
      details: { decision: 'expired', by: 'stepfold:expiry', at: expect.any(String) },
    });
  });
});

describe('a signal', () => {
  const wait = (name: string, timeout?: string): ScriptItem => ({
    toolCalls: [{ name: 'awaitSignal', args: { name, ...(timeout !== undefined && { timeout }) } }],
  });
  const start = (script: readonly ScriptItem[]) =>
    scene({ tools: [awaitSignal], script: [...script, 'done'] });

  test('that comes early is kept, and taken at once, the oldest of its name first', async () => {
    const { rt, run, drive, events, world, verify } = await start([wait('paid'), wait('sent'), wait('paid')]);
    await sendSignal(rt, run, { name: 'paid', payload: 1 });
    await sendSignal(rt, run, { name: 'paid', payload: 2 });
    await sendSignal(rt, run, { name: 'sent' });
    const before = world.clock.now();
    await drive(0);
    expect(world.clock.now()).toBe(before);
    const log = await events();
    expect(results(log)).toEqual([{ payload: 1 }, { payload: null }, { payload: 2 }]);
    expect(log.at(-1)?.type).toBe('run_completed');
    expect(await verify()).toEqual([]);
  });

  test('ends one of two waits, the first, and the other waits on', async () => {
    const both = ['paid', 'paid'].map((name) => ({ name: 'awaitSignal', args: { name } }));
    const { rt, run, drive, events, view, verify } = await start([{ toolCalls: both }]);
    await drive();
    await sendSignal(rt, run, { name: 'paid', payload: 'a' });
    await drive();
    expect(results(await events())).toEqual([{ payload: 'a' }]);
    expect((await view()).interrupts).toMatchObject([{ reason: 'awaiting_signal', callId: '1.1' }]);
    await sendSignal(rt, run, { name: 'paid', payload: 'b' });
    await drive();
    expect((await view()).status).toBe('completed');
    expect(await verify()).toEqual([]);
  });

  test('and the end of the wait that it ends are one commit', async () => {
    const { rt, run, world, drive } = await start([wait('paid')]);
    await drive();
    await sendSignal(rt, run, { name: 'paid' });
    await drive();
    const commits = await world.log.read(run, { after: -1, limit: 1_000 });
    const types = commits.map(({ events }) => (events as Event[]).map(({ type }) => type));
    expect(types).toContainEqual(['signal_received', 'resumed', 'tool_returned']);
  });

  test('of another name ends nothing', async () => {
    const { rt, run, drive, view } = await start([wait('paid')]);
    await drive();
    await sendSignal(rt, run, { name: 'Paid' });
    await drive();
    expect((await view()).interrupts).toMatchObject([{ reason: 'awaiting_signal', name: 'paid' }]);
  });

  test('that lost to the timeout is kept for the next wait', async () => {
    const { rt, run, world, drive, driveUntil, events, verify } = await start([
      wait('paid', '1h'),
      wait('paid'),
    ]);
    await driveUntil(world.clock.now() + DAY);
    expect(results(await events())).toEqual([{ timedOut: true }]);
    await sendSignal(rt, run, { name: 'paid', payload: 'late' });
    await drive();
    expect(results(await events())).toEqual([{ timedOut: true }, { payload: 'late' }]);
    expect(await verify()).toEqual([]);
  });

  test('that is in the log before the timeout wins, however late anybody looks', async () => {
    const { rt, run, world, drive, driveUntil, events } = await start([wait('paid', '1h')]);
    await driveUntil(world.clock.now() + 1_000);
    await sendSignal(rt, run, { name: 'paid', payload: 'in time' });
    world.advanceTo(world.clock.now() + DAY);
    await drive();
    expect(results(await events())).toEqual([{ payload: 'in time' }]);
  });
});

describe('an id', () => {
  const received = (log: readonly Event[], id: string) =>
    log.filter((event) => event.type === 'message_received' && event.messageId === id).length;
  async function open() {
    const played = await scene({ tools: [awaitSignal], script: callOnce('awaitSignal', { name: 'never' }) });
    await played.drive();
    const say = (messageId: string, content: unknown = messageId) =>
      sendMessage(played.rt, played.run, { content, messageId });
    const say99 = async () => {
      for (let n = 1; n < 100; n++) await say(`other${n}`);
    };
    return { ...played, say, say99 };
  }

  test('counts once, unread or read', async () => {
    const { world, run, say, drive, events, verify } = await open();
    await say('m1');
    await say('m1', 'something else');
    expect(await world.inbox.read(run, 1)).toHaveLength(1);
    await drive();
    await say('m1');
    await drive();
    const log = await events();
    expect(received(log, 'm1')).toBe(1);
    expect(log).toContainEqual(expect.objectContaining({ messageId: 'm1', content: 'm1' }));
    expect(await verify()).toEqual([]);
  });

  test('counts once among the last hundred, and again after them', async () => {
    const { say, say99, drive, events, verify } = await open();
    await say('m1');
    await say99();
    await drive();
    await say('m1');
    await drive();
    expect(received(await events(), 'm1')).toBe(1);
    await say('other100');
    await drive();
    await say('m1');
    await drive();
    expect(received(await events(), 'm1')).toBe(2);
    expect(await verify()).toEqual([]);
  });

  test('counts once even where it is put twice', async () => {
    const { world, run, say, drive, events, verify } = await open();
    await say('m1');
    const [entry] = await world.inbox.read(run, 1);
    await world.inbox.append(run, { ...(entry as NonNullable<typeof entry>), number: 2 });
    await say('m2');
    await drive();
    expect((await events()).flatMap((event) => ('entry' in event ? [event.entry] : []))).toEqual([0, 1, 3]);
    expect(await verify()).toEqual([]);
  });

  test('of a message is not one of a signal', async () => {
    const { rt, run, say, drive, types } = await open();
    await say('x');
    await sendSignal(rt, run, { name: 'paid', signalId: 'x' });
    await drive();
    expect((await types()).slice(-2)).toEqual(['message_received', 'signal_received']);
  });
});

describe('a message', () => {
  test('that comes while calls are open waits for their results, whenever it comes', async () => {
    const input = z.object({});
    const end = Promise.withResolvers<unknown>();
    const reached = Promise.withResolvers<void>();
    const act = defineTool({
      name: 'act',
      description: 'Act.',
      input,
      effect: 'read',
      run: () => {
        reached.resolve();
        return end.promise;
      },
    });
    const gate = defineTool({
      name: 'gate',
      description: 'Act.',
      input,
      effect: 'read',
      approval: {},
      run: () => 1,
    });
    const calls = ['act', 'gate'].map((name) => ({ name, args: {} }));
    const prompts: LanguageModelV4Prompt[] = [];
    const { rt, run, drive, worker, view, decide, verify } = await scene({
      tools: [act, gate],
      script: [{ toolCalls: calls }, noting(prompts, 'done')],
    });
    await worker().done;
    const { done } = worker();
    await reached.promise;
    await sendMessage(rt, run, { content: 'first' });
    await drive(0);
    await sendMessage(rt, run, { content: 'second' });
    end.resolve(1);
    await done;
    await drive(0);
    await decide((await view()).interrupts[0]?.interruptId ?? '', 'approve');
    await drive();
    expect(prompts.map(refusal)).toEqual([undefined]);
    expect(prompts.map(told)).toEqual([['user go', 'assistant', 'tool', 'user first', 'user second']]);
    expect(await verify()).toEqual([]);
  });

  test('that comes while the model answers stands after its answer, and is answered before the run ends', async () => {
    const prompts: LanguageModelV4Prompt[] = [];
    const played = await scene({ script: ['first', noting(prompts, 'second')] });
    const { asked, answer } = holdModel(played.rt);
    const { done } = played.worker();
    await asked;
    await sendMessage(played.rt, played.run, { content: 'and this' });
    await played.drive(0);
    answer();
    await done;
    await played.drive();
    expect(prompts.map(told)).toEqual([['user go', 'assistant', 'user and this']]);
    expect(await played.view()).toMatchObject({ status: 'completed', output: 'second' });
    expect(await played.verify()).toEqual([]);
  });

  test.each(['completed', 'cancelled', 'failed'] as const)(
    'to a run that has %s is refused with how it ended, and nothing is written',
    async (how) => {
      const { rt, run, world, drive, view } = await scene(
        how === 'failed' ? { output: z.object({}), script: ['no', 'no', 'no', 'no', 'no'] } : {},
      );
      if (how === 'cancelled') await cancelRun(rt, run, { by: 'ann' });
      await drive();
      const { status, endedAt } = await view();
      expect(status).toBe(how);
      const entries = await world.inbox.read(run, 0);
      world.blobs.put = () => Promise.reject(new Error('something was written'));
      const refused = { code: 'run_ended', details: { ended: how, at: endedAt } };
      await expect(sendMessage(rt, run, { content: 'x'.repeat(20_000) })).rejects.toMatchObject(refused);
      await expect(sendSignal(rt, run, { name: 'paid' })).rejects.toMatchObject(refused);
      expect(await world.inbox.read(run, 0)).toEqual(entries);
      expect(world.pending()).toEqual([]);
    },
  );

  test('that was taken before the end is the same answer again after it', async () => {
    const { rt, run, drive, view } = await scene({ script: ['done', 'done'] });
    await sendMessage(rt, run, { content: 'and this', messageId: 'm1' });
    await drive();
    expect((await view()).status).toBe('completed');
    await expect(sendMessage(rt, run, { content: 'and this', messageId: 'm1' })).resolves.toEqual({
      messageId: 'm1',
    });
  });
});

test.each<[string, (rt: Runtime, run: RunKey) => Promise<unknown>, string]>([
  ['a signal without a name', (rt, run) => sendSignal(rt, run, {} as never), 'bad_entry'],
  ['a signal with an empty name', (rt, run) => sendSignal(rt, run, { name: '' }), 'bad_entry'],
  [
    'a signal with a name that nothing awaits',
    (rt, run) => sendSignal(rt, run, { name: 'x'.repeat(129) }),
    'bad_entry',
  ],
  [
    'a signal with an empty id',
    (rt, run) => sendSignal(rt, run, { name: 'paid', signalId: '' }),
    'bad_entry',
  ],
  ['a payload that is none', (rt, run) => sendSignal(rt, run, { name: 'paid', payload: 1n }), 'not_json'],
  ['a message that is none', (rt, run) => sendMessage(rt, run, { content: undefined }), 'not_json'],
  [
    'a message with a number for its id',
    (rt, run) => sendMessage(rt, run, { content: 1, messageId: 7 as never }),
    'bad_entry',
  ],
  [
    'a message that may be final',
    (rt, run) => sendMessage(rt, run, { content: 1, final: 'maybe' as never }),
    'bad_entry',
  ],
  ['a cancel by nobody', (rt, run) => cancelRun(rt, run, {} as never), 'bad_entry'],
  [
    'a cancel with a reason that is none',
    (rt, run) => cancelRun(rt, run, { by: 'ann', reason: 3 as never }),
    'bad_entry',
  ],
  [
    'a message to no run',
    (rt) => sendMessage(rt, { tenant: 't', runId: 'none' }, { content: 1 }),
    'unknown_run',
  ],
  [
    "a signal to another tenant's run",
    (rt, run) => sendSignal(rt, { ...run, tenant: 'u' }, { name: 'paid' }),
    'unknown_run',
  ],
])('%s is refused, nothing is written, and the run goes on', async (_, say, code) => {
  const { rt, run, world, drive, view } = await scene();
  const pending = world.pending();
  await expect(say(rt, run)).rejects.toMatchObject({ code });
  expect(await world.inbox.read(run, 1)).toEqual([]);
  expect(world.pending()).toEqual(pending);
  await drive();
  expect((await view()).status).toBe('completed');
});

describe('a conversation', () => {
  const answers = (count: number) => Array.from({ length: count }, (_, n) => `answer ${n}`);
  const talk = (options: Parameters<typeof scene>[0]) => scene({ conversation: true, ...options });

  test('waits for the next message at no cost, turn after turn, and ends with the answer to a final one', async () => {
    const { rt, run, world, drive, view, types, verify } = await talk({ script: answers(31) });
    for (let turn = 1; turn <= 30; turn++) {
      await drive(40 * DAY);
      expect(await view()).toMatchObject({ status: 'paused', interrupts: [{ reason: 'awaiting_message' }] });
      expect(world.pending()).toEqual([]);
      expect(world.armed()).toEqual([]);
      expect((await world.index.get(run))?.wakeAt).toBeUndefined();
      world.advanceTo(world.clock.now() + 30 * DAY);
      await sendMessage(rt, run, { content: `message ${turn}`, final: turn === 30 });
    }
    await drive();
    expect(await view()).toMatchObject({ status: 'completed', output: 'answer 30' });
    expect((await types()).filter((type) => type === 'model_responded')).toHaveLength(31);
    expect(await verify()).toEqual([]);
  });

  test('shows the model everything that was said, and nothing that a provider refuses', async () => {
    const prompts: LanguageModelV4Prompt[] = [];
    const act = defineTool({
      name: 'act',
      description: 'Act.',
      input: z.object({}),
      effect: 'read',
      run: () => 1,
    });
    const script = [{ toolCalls: [{ name: 'act', args: {} }] }, 'one', 'two', 'three'].map((item) =>
      noting(prompts, item),
    );
    const { rt, run, drive } = await talk({ tools: [act], script });
    for (const content of ['second', 'third']) {
      await drive();
      await sendMessage(rt, run, { content });
    }
    await drive();
    expect(prompts.map(refusal)).toEqual([undefined, undefined, undefined, undefined]);
    expect(told(prompts.at(-1) ?? [])).toEqual([
      'user go',
      'assistant',
      'tool',
      'assistant',
      'user second',
      'assistant',
      'user third',
    ]);
  });

  describe('with a limit of two steps for each turn', () => {
    const limits = { steps: 2 };
    const call = { toolCalls: [{ name: 'act', args: {} }] };
    const act = defineTool({
      name: 'act',
      description: 'Act.',
      input: z.object({}),
      effect: 'read',
      run: () => 1,
    });

    test('goes on for ever in turns of two', async () => {
      const { rt, run, drive, view, verify } = await talk({ limits, script: answers(12) });
      for (let turn = 1; turn <= 10; turn++) {
        await drive();
        expect((await view()).interrupts).toMatchObject([{ reason: 'awaiting_message' }]);
        await sendMessage(rt, run, { content: 'go on', final: turn === 10 });
      }
      await drive();
      expect((await view()).status).toBe('completed');
      expect(await verify()).toEqual([]);
    });

    test('is stopped in a turn of three, and goes on with more', async () => {
      const { rt, run, drive, view, verify } = await talk({
        tools: [act],
        limits,
        script: ['hello', call, 'three'],
      });
      await drive();
      await sendMessage(rt, run, { content: 'act' });
      await drive();
      expect((await view()).interrupts).toMatchObject([
        { reason: 'budget_exceeded', facts: { limit: 'steps', allowed: 2, used: 2 } },
      ]);
      await resumeRun(rt, run, { mode: 'verbatim', by: 'ann', limits: { steps: 3 } });
      await drive();
      expect((await view()).interrupts).toMatchObject([{ reason: 'awaiting_message' }]);
      expect(await verify()).toEqual([]);
    });

    test('begins a turn with each message, also with one that came while the last was answered', async () => {
      const played = await talk({ tools: [act], limits, script: ['one', call, 'three'] });
      const { rt, run, drive, worker, view, types, verify } = played;
      const { asked, answer } = holdModel(rt);
      const { done } = worker();
      await asked;
      await sendMessage(rt, run, { content: 'act' });
      await drive(0);
      answer();
      await done;
      await drive();
      // The first turn took one step, the second takes two of its own before it is stopped.
      expect(await view()).toMatchObject({ steps: 5, interrupts: [{ reason: 'budget_exceeded' }] });
      expect((await types()).filter((type) => type === 'resumed')).toHaveLength(1);
      expect(await verify()).toEqual([]);
    });
  });

  test('is cancelled like any other run', async () => {
    const { rt, run, drive, view, verify } = await talk({ script: answers(1) });
    await drive();
    await cancelRun(rt, run, { by: 'ann' });
    await drive();
    expect(await view()).toMatchObject({ status: 'cancelled', unresolved: [] });
    expect(await verify()).toEqual([]);
  });

  test('takes several messages at once as one turn', async () => {
    const prompts: LanguageModelV4Prompt[] = [];
    const { rt, run, drive, view } = await talk({
      script: ['hello', noting(prompts, 'you too')],
    });
    await drive();
    await sendMessage(rt, run, { content: 'one' });
    await sendMessage(rt, run, { content: 'two' });
    await drive();
    expect(prompts.map(told)).toEqual([['user go', 'assistant', 'user one', 'user two']]);
    expect((await view()).interrupts).toMatchObject([{ reason: 'awaiting_message' }]);
  });
});

test('a message is folded before the end even where another worker has folded what came before it meanwhile', async () => {
  const { world, rt, run, drive, types, verify } = await scene({ script: ['done', 'done'] });
  await sendSignal(rt, run, { name: 'paid', signalId: 's1' });
  await sendMessage(rt, run, { content: 'and this', messageId: 'm1' });
  const { append } = world.log;
  world.log.append = async (key, commit) => {
    const events = commit.events as Event[];
    if (!events.some((event) => event.type === 'message_received')) return append(key, commit);
    world.log.append = append;
    // A worker that read the inbox when only the signal was there is a moment faster.
    const earlier = events.slice(0, 1);
    await append(key, { ...commit, events: earlier, owner: 'other', hash: sha256(JSON.stringify(earlier)) });
    return append(key, commit);
  };
  await drive();
  expect((await types()).filter((type) => type.endsWith('_received'))).toEqual([
    'signal_received',
    'message_received',
  ]);
  expect(await verify()).toEqual([]);
});

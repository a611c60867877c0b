import type { LanguageModelV4Prompt } from '@ai-sdk/provider';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { type Agent, type AgentOptions, defineAgent } from '../../lib/agent.ts';
import type { Json } from '../../lib/core/json.ts';
import type { Migratable, Migration } from '../../lib/core/migration.ts';
import type { Message } from '../../lib/ports/wakes.ts';
import { registryOf } from '../../lib/registry.ts';
import { decide } from '../../lib/runtime/decide.ts';
import { resumeRun } from '../../lib/runtime/resume-run.ts';
import type { Runtime } from '../../lib/runtime/runtime.ts';
import { sweep } from '../../lib/runtime/sweep.ts';
import { takeStep } from '../../lib/runtime/take-step.ts';
import { sendMessage } from '../../lib/runtime/tell-run.ts';
import { type ScriptItem, scriptedModel } from '../../lib/testing/index.ts';
import { defineTool, type Tool } from '../../lib/tool.ts';
import { sleepUntil } from '../../lib/tools/sleep-until.ts';
import { complaints, play } from '../support/play-scenario.ts';
import type { Scenario } from '../support/scenario.ts';
import { callOnce, scene } from '../support/scene.ts';
import { sweepScenario } from '../support/sweep-scenario.ts';
import { SCENARIOS } from '../support/sweep-scenarios.ts';
import { WAITS } from '../support/wait-scenarios.ts';

const DAY = 86_400_000;
const input = z.object({});
const act = (more: Partial<Parameters<typeof defineTool<typeof input>>[0]> = {}) =>
  defineTool({
    name: 'act',
    description: 'Act.',
    input,
    effect: 'once',
    approval: {},
    run: () => 'done',
    ...more,
  });

/** A run of revision 1 that waits for an approval, and what is deployed then. */
async function deployed(
  changes: Partial<AgentOptions>,
  before: Partial<AgentOptions> & { script?: readonly ScriptItem[] } = {},
) {
  const played = await scene({ tools: [act()], script: callOnce('act'), ...before });
  await played.drive();
  const old = played.rt.agents;
  const deploy = (agent: Partial<AgentOptions>) =>
    Object.assign(played.rt, { agents: registryOf([played.agentOf(agent)]) });
  const [gate] = (await played.view()).interrupts;
  deploy(changes);
  return {
    ...played,
    deploy,
    redeployOld: () => Object.assign(played.rt, { agents: old }),
    approve: () => played.decide(gate?.interruptId ?? '', 'approve'),
    mismatch: async () =>
      (await played.view()).interrupts.find(({ reason }) => reason === 'version_mismatch'),
  };
}

function noting(prompts: LanguageModelV4Prompt[], item: string) {
  return (prompt: LanguageModelV4Prompt) => {
    prompts.push(prompt);
    return item;
  };
}

test('the same code again goes on as if nothing had been', async () => {
  const { approve, drive, types, view, verify } = await deployed({});
  await approve();
  await drive();
  expect((await types()).filter((type) => /version|interrupted/.test(type))).toEqual(['interrupted']);
  expect((await view()).status).toBe('completed');
  expect(await verify()).toEqual([]);
});

describe('other code', () => {
  const change = { revision: '2', instructions: 'Act well.' };

  test('parks the run, and says what differs and what can be done', async () => {
    const { run, approve, drive, mismatch, view, world, rt, agentOf, verify } = await deployed(change);
    const started = await view();
    await approve();
    await drive();
    const { promptHash } = agentOf(change);
    expect(await mismatch()).toMatchObject({
      decisions: ['verbatim', 'migrate'],
      facts: {
        started: { revision: '1', promptHash: started.promptHash },
        deployed: { revision: '2', promptHash },
        differences: ['line 1 of the instructions was: Act.', 'line 1 of the instructions is: Act well.'],
        commands: [
          `stepfold resume ${run.runId} --mode verbatim`,
          'or deploy the old code again',
          `or stepfold cancel ${run.runId}`,
        ],
      },
    });
    expect((await view()).status).toBe('paused');
    expect(world.notices()).toContainEqual(expect.objectContaining({ reason: 'version_mismatch' }));
    expect(await world.index.get(run)).toMatchObject({ status: 'paused' });
    expect(rt.agents.get('agent')?.promptHash).toBe(promptHash);
    expect(await verify()).toEqual([]);
  });

  test.each([
    ['a revision alone', { revision: '2' }],
    ['a prompt alone', { instructions: 'Act well.' }],
    ['a setting', { settings: { temperature: 1 } }],
    ['a tool more', { tools: [act(), sleepUntil] }],
    ['an output', { output: z.object({}) }],
  ])('is seen by %s', async (_, changes) => {
    const { approve, drive, mismatch } = await deployed(changes);
    await approve();
    await drive();
    expect(await mismatch()).toBeDefined();
  });

  test.each([
    ['what a tool does', { tools: [act({ run: () => 'done otherwise' })] }],
    ['limits', { limits: { steps: 90 } }],
    ['how often it is snapshot', { snapshotEvery: 3 }],
  ])('is not seen by %s', async (_, changes) => {
    const { approve, drive, view } = await deployed(changes);
    await approve();
    await drive();
    expect((await view()).status).toBe('completed');
  });

  test('sends nothing while a run is parked; what is decided, said and over by then is kept', async () => {
    const sent: unknown[] = [];
    const tools: Tool[] = [act({ run: () => sent.push(1) }), sleepUntil];
    const toolCalls = [
      { name: 'act', args: {} },
      { name: 'sleepUntil', args: { for: '1d' } },
    ];
    const prompts: LanguageModelV4Prompt[] = [];
    const { rt, run, approve, drive, mismatch, types, view, verify } = await deployed(
      { ...change, tools },
      { tools, script: [{ toolCalls }, noting(prompts, 'done')] },
    );
    await sendMessage(rt, run, { content: 'hurry' });
    await drive(2 * DAY);
    await approve();
    await drive();
    expect(await mismatch()).toBeDefined();
    expect((await types()).filter((type) => type === 'resumed')).toHaveLength(2);
    expect(sent).toEqual([]);
    await resumeRun(rt, run, { mode: 'verbatim', by: 'ann' });
    await drive();
    expect(sent).toHaveLength(1);
    expect(JSON.stringify(prompts)).toContain('hurry');
    expect((await view()).status).toBe('completed');
    expect(await verify()).toEqual([]);
  });

  test('lets a call in flight settle first, and goes on from there', async () => {
    const end = Promise.withResolvers<unknown>();
    const reached = Promise.withResolvers<void>();
    const slow = act({
      approval: undefined as never,
      run: () => {
        reached.resolve();
        return end.promise;
      },
    });
    const played = await scene({ tools: [slow], script: callOnce('act') });
    const { rt, run, world, worker, drive, types, view, verify } = played;
    await worker().done;
    const { done } = worker();
    await reached.promise;
    Object.assign(rt, { agents: registryOf([played.agentOf({ ...change, tools: [slow] })]) });
    await sendMessage(rt, run, { content: 'hurry' });
    await played.driveUntil(world.clock.now() + 1_000);
    expect((await types()).slice(-2)).toEqual(['message_received', 'interrupted']);
    end.resolve('done');
    await done;
    expect((await types()).at(-1)).toBe('tool_returned');
    expect((await view()).status).toBe('paused');
    await resumeRun(rt, run, { mode: 'verbatim', by: 'ann' });
    await drive();
    expect((await view()).status).toBe('completed');
    expect(await verify()).toEqual([]);
  });
});

test('other code parks a run whose worker has died: it is paused, for nobody is at work on it', async () => {
  const hanging = act({ approval: undefined as never, effect: 'read', run: () => new Promise(() => {}) });
  const played = await scene({ tools: [hanging], script: callOnce('act') });
  const { rt, run, world, worker, drive, view, verify } = played;
  await worker().done;
  worker();
  await new Promise((resolve) => setImmediate(resolve));
  const done = act({ approval: undefined as never, effect: 'read' });
  const change = { revision: '2', tools: [done] };
  Object.assign(rt, { agents: registryOf([played.agentOf(change)]) });
  await drive();
  expect((await view()).status).toBe('paused');
  expect(await world.index.get(run)).toMatchObject({ status: 'paused' });
  expect((await world.index.get(run))?.wakeAt).toBeUndefined();
  await resumeRun(rt, run, { mode: 'verbatim', by: 'ann' });
  await drive();
  expect((await view()).status).toBe('completed');
  expect(await verify()).toEqual([]);
});

describe('a parked run', () => {
  const change = { revision: '2', instructions: 'Act well.' };
  async function parked(more: Partial<AgentOptions> = {}) {
    const played = await deployed({ ...change, ...more });
    await played.approve();
    await played.drive();
    const id = (await played.mismatch())?.interruptId ?? '';
    const resume = (mode: 'verbatim' | 'migrate', by = 'ann') =>
      resumeRun(played.rt, played.run, { mode, by });
    return { ...played, id, resume };
  }

  test('goes on verbatim, and what was accepted is compared from then on', async () => {
    const { resume, drive, view, events, agentOf, world, run, verify } = await parked();
    const { promptHash } = agentOf(change);
    await resume('verbatim');
    await drive();
    expect(await view()).toMatchObject({ status: 'completed', revision: '2', promptHash });
    expect((await events()).findLast((event) => event.type === 'resumed')).toMatchObject({
      by: 'ann',
      outcome: { decision: 'verbatim', accepted: { revision: '2', promptHash } },
    });
    expect(await world.blobs.get(run, promptHash)).toBeDefined();
    expect(await verify()).toEqual([]);
  });

  test('meets the next deployment as one of what was accepted', async () => {
    const played = await deployed(change, {
      tools: [sleepUntil],
      script: callOnce('sleepUntil', { for: '3d' }),
    });
    await sendMessage(played.rt, played.run, { content: 'hurry' });
    await played.drive();
    await resumeRun(played.rt, played.run, { mode: 'verbatim', by: 'ann' });
    await played.drive();
    played.deploy({ revision: '3', instructions: 'Act better.' });
    await played.drive(4 * DAY);
    expect(await played.mismatch()).toMatchObject({
      facts: {
        started: { revision: '2' },
        deployed: { revision: '3' },
        differences: [
          'line 1 of the instructions was: Act well.',
          'line 1 of the instructions is: Act better.',
        ],
      },
    });
  });

  test('cannot be migrated where no migration leads, and can when one is deployed', async () => {
    const { resume, deploy, drive, mismatch, types, view, verify, world, run, id } = await parked();
    await expect(resume('migrate')).rejects.toMatchObject({ code: 'no_migration' });
    expect(await world.decisions.get(run, id)).toBeUndefined();
    deploy({ ...change, migrations: [{ from: '1', to: '2', migrate: (state) => state }] });
    await drive();
    expect(await mismatch()).toBeDefined();
    await resume('migrate');
    await drive();
    expect(await types()).toContain('version_migrated');
    expect(await view()).toMatchObject({ status: 'completed', revision: '2' });
    expect(await verify()).toEqual([]);
  });

  test('goes on by itself when the old code is back, through settle, in the slot', async () => {
    const { redeployOld, world, run, drive, view, events, verify, id } = await parked();
    redeployOld();
    await world.wakes.send({ ...run, news: true, swept: true }, { lane: 'fast' });
    await drive();
    expect(await world.decisions.get(run, id)).toMatchObject({ decision: 'reverted', by: 'stepfold:deploy' });
    expect((await events()).findLast((event) => event.type === 'resumed')).toMatchObject({
      interruptId: id,
      by: 'stepfold:deploy',
      outcome: { decision: 'reverted' },
    });
    expect(await view()).toMatchObject({ status: 'completed', revision: '1' });
    expect(await verify()).toEqual([]);
  });

  test('is left as it is by settle while other code is deployed', async () => {
    const { world, run, drive, id, types } = await parked();
    const before = await types();
    await world.wakes.send({ ...run, interruptId: id }, { lane: 'settle' });
    await drive();
    expect(await world.decisions.get(run, id)).toBeUndefined();
    expect(await types()).toEqual(before);
  });

  test('that a person and the old code resume at once takes the first in its slot, and the person hears of it', async () => {
    const { redeployOld, resume, world, run, drive, view, verify } = await parked();
    redeployOld();
    await world.wakes.send({ ...run, news: true, swept: true }, { lane: 'fast' });
    const { put } = world.decisions;
    world.decisions.put = async (key, decision) => {
      world.decisions.put = put;
      await drive();
      return put(key, decision);
    };
    await expect(resume('verbatim')).rejects.toMatchObject({
      code: 'already_decided',
      details: { by: 'stepfold:deploy', decision: 'reverted' },
    });
    await drive();
    expect((await view()).status).toBe('completed');
    expect(await verify()).toEqual([]);
  });

  test('is resumed by nothing but a resume', async () => {
    const { rt, run, id, resume, drive } = await parked();
    for (const decision of ['verbatim', 'migrate', 'approve'])
      await expect(decide(rt, run, id, { decision, by: 'ann' })).rejects.toMatchObject({
        code: 'wrong_decision',
      });
    await resume('verbatim');
    await drive();
    await expect(resume('verbatim')).rejects.toMatchObject({ code: 'run_ended' });
  });

  test('says so when it is not parked', async () => {
    const { rt, run } = await deployed({});
    const resumed = resumeRun(rt, run, { mode: 'verbatim', by: 'ann' });
    await expect(resumed).rejects.toMatchObject({ code: 'not_blocked' });
  });
});

describe('a migration', () => {
  const rewrite =
    (text: string): Migration['migrate'] =>
    ({ messages, values }) => ({
      messages: [...messages, { role: 'user', content: [{ type: 'text', text }] }],
      values: { ...values, [text]: { from: (values.count as number) ?? 0 } },
    });
  const keeping = (prompts: LanguageModelV4Prompt[], tools: Tool[] = []) => ({
    tools: [
      act({
        name: 'count',
        approval: undefined as never,
        run: (_, { state }) => {
          state.set('count', 7);
          state.set('gone', true);
          return 1;
        },
      }),
      sleepUntil,
      ...tools,
    ],
    script: [
      { toolCalls: [{ name: 'count', args: {} }] },
      { toolCalls: [{ name: 'sleepUntil', args: { for: '1d' } }] },
      noting(prompts, 'one'),
      noting(prompts, 'two'),
      noting(prompts, 'three'),
    ],
  });

  test('gives the run its messages and values as it returns them', async () => {
    const prompts: LanguageModelV4Prompt[] = [];
    const seen: Migratable[] = [];
    const { drive, events, view, verify } = await deployed(
      {
        revision: '2',
        migrations: [
          {
            from: '1',
            to: '2',
            migrate: (state) => {
              seen.push(structuredClone(state));
              return {
                messages: [{ role: 'user', content: [{ type: 'text', text: 'Begin again.' }] }],
                values: { kept: 'ü\u0000', count: 8 },
              };
            },
          },
        ],
      },
      keeping(prompts),
    );
    await drive(2 * DAY);
    expect(seen[0]?.messages.map((message) => (message as { role: string }).role)).toEqual([
      'user',
      'assistant',
      'tool',
    ]);
    expect(seen[0]?.values).toEqual({ count: 7, gone: true });
    expect(await view()).toMatchObject({
      status: 'completed',
      revision: '2',
      values: { kept: 'ü\u0000', count: 8 },
    });
    expect((await view()).values).not.toHaveProperty('gone');
    const migrated = (await events()).find((event) => event.type === 'version_migrated');
    expect(migrated).toMatchObject({ from: '1', to: '2', values: { kept: 'ü\u0000', count: 8 } });
    // The turn that was open goes on after the new base.
    expect(prompts[0]?.slice(1, 4).map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
    expect(JSON.stringify(prompts[0]?.[1])).toContain('Begin again.');
    expect(await verify()).toEqual([]);
  });

  test('of two links is made link by link, and is one event', async () => {
    const prompts: LanguageModelV4Prompt[] = [];
    const { drive, types, events, view, verify } = await deployed(
      {
        revision: '3',
        migrations: [
          { from: '2', to: '3', migrate: rewrite('third') },
          { from: '1', to: '2', migrate: rewrite('second') },
        ],
      },
      keeping(prompts),
    );
    await drive(2 * DAY);
    expect((await types()).filter((type) => type === 'version_migrated')).toHaveLength(1);
    expect((await events()).find((event) => event.type === 'version_migrated')).toMatchObject({
      from: '1',
      to: '3',
    });
    expect((await view()).values).toEqual({ count: 7, gone: true, second: { from: 7 }, third: { from: 7 } });
    const texts = JSON.stringify(prompts[0]);
    expect(texts.indexOf('second')).toBeGreaterThan(0);
    expect(texts.indexOf('third')).toBeGreaterThan(texts.indexOf('second'));
    expect(await verify()).toEqual([]);
  });

  test('may take its time, and carries what spills', async () => {
    const text = 'x'.repeat(50_000);
    const prompts: LanguageModelV4Prompt[] = [];
    const { drive, events, view, verify } = await deployed(
      {
        revision: '2',
        migrations: [
          {
            from: '1',
            to: '2',
            migrate: async (state) => {
              await new Promise((resolve) => setImmediate(resolve));
              return { messages: state.messages, values: { text } };
            },
          },
        ],
      },
      keeping(prompts),
    );
    await drive(2 * DAY);
    expect((await events()).find((event) => event.type === 'version_migrated')).toHaveProperty('valuesRef');
    expect((await view()).values).toEqual({ text });
    expect(await verify()).toEqual([]);
  });

  test.each<[string, () => unknown]>([
    ['throws', () => Promise.reject(new Error('no such field'))],
    ['gives nothing', () => undefined],
    ['gives messages that are none', () => ({ messages: 'hello', values: {} })],
    ['gives no values', () => ({ messages: [] })],
    ['gives values that are none', () => ({ messages: [], values: null })],
    ['gives a list of values', () => ({ messages: [], values: [] })],
    ['gives what JSON cannot carry', () => ({ messages: [], values: { at: new Date() } })],
    ['gives messages without a role', () => ({ messages: [{ content: 'x' }], values: {} })],
  ])('that %s sets the run aside as it was, until a better one comes', async (_, migrate) => {
    const migrations = [{ from: '1', to: '2', migrate: migrate as Migration['migrate'] }];
    const { rt, world, approve, drive, deploy, types, view, verify, reports } = await deployed({
      revision: '2',
      migrations,
    });
    await approve();
    const before = await types();
    await drive();
    expect(await view()).toMatchObject({
      status: 'stalled',
      stalled: { code: 'migration_failed', cause: expect.stringContaining('from 1 to 2') },
    });
    expect(await types()).toEqual([...before, 'resumed']);
    expect(reports).toContainEqual(expect.objectContaining({ level: 'error' }));
    deploy({ revision: '2', migrations: [{ from: '1', to: '2', migrate: (state) => state }] });
    world.advanceTo(world.clock.now() + DAY);
    expect(await sweep(rt)).toBe(1);
    await drive();
    expect(await view()).toMatchObject({ status: 'completed', revision: '2' });
    expect(await verify()).toEqual([]);
  });

  test('is made before a model call that was lost is issued again, which then shows what it sends', async () => {
    const prompts: LanguageModelV4Prompt[] = [];
    const played = await scene({ script: [noting(prompts, 'done')] });
    const { rt, world, worker, drive, events, view, verify } = played;
    const { model } = rt.agents.get('agent') as Agent;
    const { doGenerate } = model;
    model.doGenerate = () => new Promise(() => {});
    worker();
    await new Promise((resolve) => setImmediate(resolve));
    world.advanceTo(world.clock.now() + 600_000);
    const changed = played.agentOf({
      revision: '2',
      migrations: [{ from: '1', to: '2', migrate: rewrite('second') }],
      model: { ...model, doGenerate },
    });
    Object.assign(rt, { agents: registryOf([changed]) });
    await drive();
    expect(JSON.stringify(prompts)).toContain('second');
    const hashes = (await events()).flatMap((event) =>
      event.type === 'model_call_requested' ? [event.requestHash] : [],
    );
    expect(new Set(hashes).size).toBe(2);
    expect((await view()).status).toBe('completed');
    expect(await verify()).toEqual([]);
  });
});

describe('migrations that do not lead on are refused when the agent is declared', () => {
  const migrate = (state: Migratable) => state;
  const agent =
    (revision: string, ...steps: [string, string][]) =>
    () =>
      defineAgent({
        name: 'a',
        revision,
        instructions: '',
        model: scriptedModel([]),
        migrations: steps.map(([from, to]) => ({ from, to, migrate })),
      });

  test.each([
    ['a hole', agent('4', ['1', '2'], ['3', '4']), 'migration_hole'],
    ['an end elsewhere', agent('4', ['1', '2'], ['2', '3']), 'migration_hole'],
    ['a circle', agent('3', ['1', '2'], ['2', '1']), 'migration_hole'],
    ['a step on the spot', agent('2', ['1', '1']), 'migration_hole'],
    ['a step from its own revision', agent('2', ['2', '3'], ['3', '2']), 'migration_hole'],
    ['two ways', agent('3', ['1', '2'], ['1', '3'], ['2', '3']), 'bad_agent'],
  ])('%s', (_, define, code) => {
    expect(define).toThrow(expect.objectContaining({ code }));
  });

  test('two chains that meet are fine', () => {
    expect(agent('4', ['1', '3'], ['2', '3'], ['3', '4'])).not.toThrow();
  });
});

test('an agent that says so beforehand takes its runs on verbatim, and the log says that it did', async () => {
  const { approve, drive, view, events, world, verify } = await deployed({
    revision: '2',
    instructions: 'Act well.',
    onVersionChange: 'verbatim',
  });
  await approve();
  await drive();
  expect(await view()).toMatchObject({ status: 'completed', revision: '2' });
  expect((await events()).filter((event) => event.type === 'resumed')).toMatchObject([
    { by: 'ann' },
    { by: 'stepfold:policy', outcome: { decision: 'verbatim', accepted: { revision: '2' } } },
  ]);
  expect(world.notices().map(({ reason }) => reason)).not.toContain('version_mismatch');
  expect(await verify()).toEqual([]);
});

describe('while two versions are at work', () => {
  const POLICIES: Record<string, Partial<AgentOptions>> = {
    'that parks': {},
    'that migrates': { migrations: [{ from: '1', to: '2', migrate: (state) => state }] },
    'that goes on verbatim': { onVersionChange: 'verbatim' },
  };
  /** The agent of a scenario as it will be deployed. */
  function next(rt: Runtime, policy: Partial<AgentOptions>): Runtime {
    const { model, tools, conversation } = rt.agents.get('agent') as Agent;
    const options = {
      name: 'agent',
      revision: '2',
      instructions: 'Do it well.',
      model,
      tools,
      conversation,
    };
    const agents = new Map(rt.agents).set('agent', defineAgent({ ...options, ...policy }));
    return { ...rt, agents };
  }

  /** For so many deliveries old and new workers take turns; then the new ones are left alone. */
  function deploying(policy: Partial<AgentOptions>, turns: number) {
    let taken = 0;
    return {
      takeStep: (rt: Runtime, message: Message) =>
        takeStep(taken++ < turns && taken % 2 === 1 ? rt : next(rt, policy), message),
    };
  }

  /** Lets a parked run go on under the new code. */
  const patient = (scenario: Scenario, policy: Partial<AgentOptions>): Scenario => ({
    ...scenario,
    person: (interrupt, downstream) =>
      interrupt.reason === 'version_mismatch'
        ? (rt, run) => resumeRun(next(rt, policy), run, { mode: 'verbatim', by: 'ann' })
        : scenario.person?.(interrupt, downstream),
  });

  test.each(Object.entries(POLICIES))('no run is folded wrongly, with an agent %s', async (_, policy) => {
    const wrong: string[] = [];
    for (const scenario of [...SCENARIOS, ...WAITS]) {
      if (scenario.agent?.limits) continue;
      for (const turns of [1, 3, 6]) {
        const played = await play(patient(scenario, policy), { library: deploying(policy, turns) });
        const found = complaints(scenario, played);
        if (played.view.revision !== '2' && turns < 4)
          found.push(`it ends as revision ${played.view.revision}`);
        wrong.push(...found.map((what) => `${scenario.title}, ${turns} turns: ${what}`));
      }
    }
    expect(wrong).toEqual([]);
  });

  test.each(Object.entries(POLICIES))(
    'no run is lost when workers die, with an agent %s',
    async (_, policy) => {
      const titles = ['an approval that is given', 'a child run'];
      const wrong: string[] = [];
      for (const scenario of [...SCENARIOS, ...WAITS].filter(({ title }) => titles.includes(title))) {
        for (const mode of ['crash_before', 'crash_after'] as const) {
          const { failures } = await sweepScenario(patient(scenario, policy), mode, {
            library: deploying(policy, 6),
          });
          wrong.push(...failures.map((what) => `${scenario.title}: ${what}`));
        }
      }
      expect(wrong).toEqual([]);
    },
  );
});

test('values that a migration gives come back identical', async () => {
  const awkward: Json = { '': '\ud800', nul: 'a\u0000b', big: '9007199254740993', deep: [[[[{ x: [] }]]]] };
  const { drive, approve, view } = await deployed({
    revision: '2',
    migrations: [
      {
        from: '1',
        to: '2',
        migrate: ({ messages }) => ({ messages, values: { awkward, constructor: 1 } }),
      },
    ],
  });
  await approve();
  await drive();
  expect((await view()).values).toEqual({ awkward, constructor: 1 });
});

import { APICallError } from '@ai-sdk/provider';
import * as z from 'zod';
import { type Agent, type AgentOptions, defineAgent } from '../../lib/agent.ts';
import { keyed, lookup, once } from '../../lib/core/effect.ts';
import { createMemoryWorld, type MemoryWorld } from '../../lib/memory/memory-world.ts';
import type { RunKey } from '../../lib/ports/run-key.ts';
import { registryOf } from '../../lib/registry.ts';
import { decide } from '../../lib/runtime/decide.ts';
import { describeRun } from '../../lib/runtime/describe-run.ts';
import { resumeRun } from '../../lib/runtime/resume-run.ts';
import type { Runtime } from '../../lib/runtime/runtime.ts';
import { startRun } from '../../lib/runtime/start-run.ts';
import { takeStep } from '../../lib/runtime/take-step.ts';
import { cancelRun, sendMessage, sendSignal } from '../../lib/runtime/tell-run.ts';
import { type ScriptItem, scriptedModel } from '../../lib/testing/index.ts';
import { defineTool, type Tool } from '../../lib/tool.ts';
import { agentTool } from '../../lib/tools/agent-tool.ts';
import { askHuman } from '../../lib/tools/ask-human.ts';
import { awaitSignal } from '../../lib/tools/await-signal.ts';
import { sleepUntil } from '../../lib/tools/sleep-until.ts';
import { drive, runtimeOver } from '../support/drive.ts';

const HOUR = 3_600_000;
const input = z.object({ n: z.number().default(0) });

interface Told {
  readonly rt: Runtime;
  readonly run: RunKey;
  readonly world: MemoryWorld;
  drive(within?: number): Promise<void>;
  answer(decision: string, value?: unknown): Promise<void>;
}

/** What one run met. Its agents never change, so that a later release can go on with what an earlier one has left. */
interface Story {
  readonly agents: (world: MemoryWorld) => Agent[];
  readonly tell: (told: Told) => Promise<void>;
}

const agentWith = (script: readonly ScriptItem[], more: Partial<AgentOptions> = {}) =>
  defineAgent({
    name: 'agent',
    revision: '1',
    instructions: 'Do what you are told.\nBe brief.',
    model: scriptedModel(script),
    ...more,
  });

const call = (name: string, args: unknown = {}) => ({ name, args });
const error = (code: string) => Object.assign(new Error(`the connection failed: ${code}`), { code });

/** A tool that fails in a way of its own the first time. */
function tool(
  name: string,
  effect: Parameters<typeof defineTool>[0]['effect'],
  fails?: Error,
  more: object = {},
): Tool {
  let failed = fails === undefined;
  return defineTool<typeof input>({
    name,
    description: `Does ${name}.`,
    input,
    ...(effect && { effect }),
    run: ({ n }, { state }) => {
      state.set('seen', { [name]: n, odd: 'a\u0000b\ud800' });
      if (failed) return { n };
      failed = true;
      throw fails;
    },
    ...more,
  });
}

/** A model that fails the first time it is asked for its n-th answer. */
function failing(script: readonly ScriptItem[], at: number, status: number) {
  const model = scriptedModel(script);
  let failed = false;
  const doGenerate: typeof model.doGenerate = async (options) => {
    const answers = options.prompt.filter(({ role }) => role === 'assistant').length;
    if (failed || answers !== at) return model.doGenerate(options);
    failed = true;
    const about = { url: 'http://provider', requestBodyValues: {}, statusCode: status };
    throw new APICallError({ message: `answered ${status}`, ...about });
  };
  return { ...model, doGenerate };
}

const gated = (expiresIn?: string) => ({
  approval: { ...(expiresIn && { expiresIn }), risk: 'low', summary: () => 'Act?' },
});

export const STORIES: Readonly<Record<string, Story>> = {
  'calls-of-every-effect': {
    agents: () => [
      agentWith(
        [
          {
            text: 'I begin.',
            toolCalls: ['read', 'keyed', 'lookup', 'once', 'nothing'].map((name) => call(name, { n: 1 })),
          },
          { toolCalls: [call('read', { n: 'one' }), call('refused', { n: 2 })] },
          'done',
        ],
        {
          tools: [
            tool('read', 'read', error('ECONNREFUSED')),
            tool('keyed', keyed({ window: '24h' }), error('ECONNRESET')),
            tool(
              'lookup',
              lookup({ find: () => ({ found: { was: 'done' } }), horizon: '10s' }),
              error('ECONNRESET'),
            ),
            tool('once', once({ horizon: '30s' }), error('ECONNRESET')),
            tool('refused', 'once', new Error('no such account')),
          ],
        },
      ),
    ],
    tell: async ({ drive, answer }) => {
      await drive();
      await answer('happened', { seen: true });
      await drive();
    },
  },
  'people-and-time': {
    agents: () => [
      agentWith(
        [
          { toolCalls: [call('yes'), call('no'), call('late'), call('doubted')] },
          {
            toolCalls: [
              call('askHuman', { question: 'How many?', schema: { type: 'number' } }),
              call('askHuman', { question: 'Still there?', timeout: '1h' }),
              call('awaitSignal', { name: 'paid' }),
              call('awaitSignal', { name: 'sent', timeout: '30m' }),
              call('sleepUntil', { for: '1d' }),
            ],
          },
          'done',
        ],
        {
          tools: [
            tool('yes', 'once', undefined, gated()),
            tool('no', 'once', undefined, gated()),
            tool('late', 'once', undefined, gated('2h')),
            tool('doubted', 'once', error('ECONNRESET')),
            askHuman,
            awaitSignal,
            sleepUntil,
          ],
        },
      ),
    ],
    tell: async ({ rt, run, drive, answer }) => {
      await sendSignal(rt, run, { name: 'paid', payload: { amount: 3 }, signalId: 's1' });
      await drive(0);
      await answer('approve');
      await answer('deny');
      await answer('skip');
      await sendMessage(rt, run, { content: 'Hurry up.', messageId: 'm1' });
      await drive(3 * HOUR);
      await answer('answer', 3);
      await drive(25 * HOUR);
    },
  },
  'a-conversation': {
    agents: () => [
      agentWith(['hello', 'still here', 'goodbye'], { conversation: true, limits: { steps: 5 } }),
    ],
    tell: async ({ rt, run, drive }) => {
      await drive();
      await sendMessage(rt, run, { content: 'Are you there?', messageId: 'm1' });
      await drive();
      await sendMessage(rt, run, { content: [{ type: 'text', text: 'Bye.' }], messageId: 'm2', final: true });
      await drive();
    },
  },
  'limits-and-trouble': {
    agents: () => [
      agentWith([], {
        model: failing([{ toolCalls: [call('read')] }, { toolCalls: [call('read')] }, 'done'], 1, 529),
        tools: [tool('read', 'read')],
        limits: { steps: 3, tokens: 100_000, costUsd: 1 },
        prices: { input: 1, output: 2 },
      }),
    ],
    tell: async ({ rt, run, drive }) => {
      await drive();
      await resumeRun(rt, run, { mode: 'verbatim', by: 'ann', note: 'go on', limits: { steps: 9 } });
      await drive();
    },
  },
  'a-blocked-provider': {
    agents: () => [agentWith([], { model: failing(['done'], 0, 401) })],
    tell: async ({ rt, run, drive }) => {
      await drive();
      await resumeRun(rt, run, { mode: 'verbatim', by: 'ann' });
      await drive();
    },
  },
  'a-misfit': {
    agents: () => [
      agentWith(['no', 'not', 'never', 'nothing', 'done'], { output: z.object({ n: z.number() }) }),
    ],
    tell: ({ drive }) => drive(),
  },
  'other-code': {
    agents: () => [
      agentWith(
        [
          { toolCalls: [call('read', { n: 1 }), call('sleepUntil', { for: '1d' })] },
          { toolCalls: [call('awaitSignal', { name: 'go' })] },
          'done',
        ],
        { tools: [tool('read', 'read'), sleepUntil, awaitSignal] },
      ),
    ],
    tell: async ({ rt, run, drive }) => {
      await drive();
      const old = rt.agents;
      const deploy = (more: Partial<AgentOptions>) => {
        const { model, tools } = old.get('agent') as Agent;
        const agent = agentWith([], { model, tools, revision: '2', instructions: 'Do it well.', ...more });
        Object.assign(rt, { agents: registryOf([agent]) });
      };
      deploy({});
      await drive(25 * HOUR);
      Object.assign(rt, { agents: old });
      await rt.world.wakes.send({ ...run, news: true }, { lane: 'fast' });
      await drive();
      const migrations = [
        {
          from: '1',
          to: '2',
          migrate: ({ messages }: { messages: unknown[] }) => ({
            messages: messages.slice(0, 1) as never[],
            values: { kept: 1 },
          }),
        },
      ];
      deploy({ migrations });
      await sendSignal(rt, run, { name: 'stop', signalId: 's1' });
      await drive();
      deploy({ revision: '3', onVersionChange: 'verbatim' });
      await sendSignal(rt, run, { name: 'go', signalId: 's2' });
      await drive();
    },
  },
  'a-parent': {
    agents: () => {
      const child = defineAgent({
        name: 'child',
        revision: '1',
        instructions: 'Be a child.',
        tools: [awaitSignal],
        model: scriptedModel([
          (prompt) =>
            JSON.stringify(prompt).includes('play')
              ? { toolCalls: [call('awaitSignal', { name: 'go' })] }
              : 'grown',
          'never',
        ]),
      });
      const calls = [call('child', { input: 'grow' }), call('child', { input: 'play' })];
      return [
        agentWith([{ toolCalls: calls }, 'done'], { tools: [agentTool(child)], limits: { steps: 20 } }),
        child,
      ];
    },
    tell: async ({ rt, run, drive }) => {
      await drive();
      const [open] = (await describeRun(rt, run)).interrupts;
      await cancelRun(rt, { ...run, runId: open?.child?.runId ?? '' }, { by: 'ann' });
      await drive();
    },
  },
  'a-cancel': {
    agents: () => [
      agentWith(
        [{ toolCalls: [call('once'), call('lookup'), call('askHuman', { question: 'Well?' })] }, 'never'],
        {
          tools: [
            tool('once', 'once', error('ECONNRESET')),
            tool('lookup', lookup({ find: () => 'unknown', horizon: '10m' }), error('ECONNRESET')),
            askHuman,
          ],
        },
      ),
    ],
    tell: async ({ rt, run, drive }) => {
      await drive(0);
      await cancelRun(rt, run, { by: 'ann', reason: 'too dear' });
      await drive();
    },
  },
  'large-values': {
    agents: () => [
      agentWith([{ toolCalls: [call('large', { n: 1 })] }, `done ${'ü'.repeat(5_000)}`], {
        tools: [tool('large', 'read', undefined, { run: () => ({ text: 'x\u0000é'.repeat(3_000) }) })],
      }),
    ],
    tell: ({ drive }) => drive(),
  },
  'left-waiting': {
    agents: () => [
      agentWith(
        [
          { toolCalls: [call('read', { n: 1 })] },
          {
            toolCalls: [
              call('gate', { n: 2 }),
              call('awaitSignal', { name: 'paid' }),
              call('sleepUntil', { for: '7d' }),
            ],
          },
          'done',
        ],
        {
          tools: [
            tool('read', 'read'),
            tool('gate', keyed({ window: '24h' }), undefined, gated()),
            awaitSignal,
            sleepUntil,
          ],
        },
      ),
    ],
    tell: async ({ rt, run, drive }) => {
      await sendMessage(rt, run, { content: 'Take your time.', messageId: 'm1' });
      await drive();
    },
  },
  'left-at-work': {
    agents: () => [
      agentWith([{ toolCalls: [call('read', { n: 1 }), call('keyed', { n: 2 })] }, 'done'], {
        tools: [tool('read', 'read'), tool('keyed', keyed({ window: '24h' }))],
      }),
    ],
    tell: async ({ rt, world }) => {
      // Its worker dies after the claim of the first call.
      const { append } = world.log;
      for (let message = world.receive(); message; message = world.receive()) {
        const { receipt: _, ...plain } = message;
        let claimed = false;
        world.log.append = async (run, commit) => {
          const done = await append(run, commit);
          claimed = (commit.events as { type: string }[]).some(({ type }) => type === 'tool_call_requested');
          if (claimed) throw new Error('killed');
          return done;
        };
        await takeStep(rt, plain).catch(() => {});
        world.log.append = append;
        if (claimed) return;
      }
    },
  },
};

/** Plays a story in a world of its own. */
export async function play(name: string): Promise<{ rt: Runtime; run: RunKey }> {
  const story = STORIES[name] as Story;
  const world = createMemoryWorld();
  const rt = runtimeOver(world, story.agents(world));
  const { runId } = await startRun(rt, {
    tenant: 't',
    agent: 'agent',
    input: 'Begin.',
    key: name,
    labels: { story: name },
  });
  const run = { tenant: 't', runId };
  await story.tell({
    rt,
    run,
    world,
    drive: (within) => drive(world, rt, within === undefined ? {} : { within }),
    answer: async (decision, value) => {
      const open = (await describeRun(rt, run)).interrupts.find((each) => each.decisions.includes(decision));
      const more = value === undefined ? {} : { value };
      await decide(rt, run, open?.interruptId ?? '', { decision, by: 'ann', note: 'as agreed', ...more });
      await drive(world, rt, { within: 0 });
    },
  });
  return { rt, run };
}

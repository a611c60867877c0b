import { defineAgent } from '../../lib/agent.ts';
import { resumeRun } from '../../lib/runtime/resume-run.ts';
import { cancelRun, sendMessage, sendSignal } from '../../lib/runtime/tell-run.ts';
import { scriptedModel } from '../../lib/testing/index.ts';
import { agentTool } from '../../lib/tools/agent-tool.ts';
import { askHuman } from '../../lib/tools/ask-human.ts';
import { awaitSignal } from '../../lib/tools/await-signal.ts';
import { sleepUntil } from '../../lib/tools/sleep-until.ts';
import type { Outside, Person, Scenario } from './scenario.ts';
import { careful, dropping, kinds, one, toolOf } from './scenario-tools.ts';

const DAY = 86_400_000;
const call = (name: string, args: unknown) => [{ toolCalls: [{ name, args }] }, 'done'];
const signal: Outside = (rt, run) => sendSignal(rt, run, { name: 'paid', payload: { n: 1 }, signalId: 's1' });
const message: Outside = (rt, run) => sendMessage(rt, run, { content: 'and another thing', messageId: 'm1' });
const cancel: Outside = (rt, run) => cancelRun(rt, run, { by: 'ann', reason: 'enough' });
const EITHER = ['completed', 'cancelled'];

/** Answers every kind of wait as somebody patient would. */
const patient: Person = (interrupt, downstream) => {
  if (interrupt.reason === 'awaiting_input') return { decision: 'answer', value: { ok: true } };
  if (interrupt.reason === 'awaiting_signal') return signal;
  if (interrupt.reason === 'in_doubt' || interrupt.reason === 'awaiting_approval')
    return careful(interrupt, downstream);
  return undefined;
};

/** A run that waits: for a time, a person, a system, another run. */
export const WAITS: readonly Scenario[] = [
  {
    title: 'a sleep of a minute',
    tools: () => [sleepUntil],
    script: call('sleepUntil', { for: '60s' }),
    effects: {},
  },
  {
    title: 'a sleep of a day',
    tools: () => [sleepUntil],
    script: call('sleepUntil', { for: '1d' }),
    within: 2 * DAY,
    effects: {},
  },
  {
    title: 'a sleep beside a keyed call',
    tools: ({ downstream }) => [sleepUntil, toolOf('keyed', downstream)],
    script: [
      {
        toolCalls: [
          { name: 'sleepUntil', args: { for: '60s' } },
          { name: 'keyed', args: {} },
        ],
      },
      'done',
    ],
    effects: { keyed: 1 },
  },
  {
    title: 'a question that is answered',
    tools: () => [askHuman],
    script: call('askHuman', { question: 'Shall I?', timeout: '1d' }),
    person: patient,
    effects: {},
  },
  {
    title: 'a question that times out',
    tools: () => [askHuman],
    script: call('askHuman', { question: 'Shall I?', timeout: '1d' }),
    within: 2 * DAY,
    effects: {},
  },
  {
    title: 'a signal that comes while it is awaited',
    tools: () => [awaitSignal],
    script: call('awaitSignal', { name: 'paid' }),
    person: patient,
    effects: {},
  },
  {
    title: 'a signal that comes before anything awaits it',
    tools: () => [awaitSignal],
    script: call('awaitSignal', { name: 'paid' }),
    early: signal,
    effects: {},
  },
  {
    title: 'a signal at any moment, with a timeout of a minute',
    tools: () => [awaitSignal],
    script: call('awaitSignal', { name: 'paid', timeout: '60s' }),
    interject: signal,
    effects: {},
  },
  {
    title: 'a message at any moment',
    tools: ({ downstream }) => [toolOf('keyed', downstream)],
    script: [...one('keyed'), 'done'],
    interject: message,
    effects: { keyed: 1 },
  },
  {
    title: 'a conversation of two turns',
    tools: ({ downstream }) => [toolOf('once', downstream)],
    script: [{ toolCalls: [{ name: 'once', args: {} }] }, 'anything else?', 'goodbye'],
    agent: { conversation: true },
    output: 'goodbye',
    person: (interrupt, downstream) =>
      interrupt.reason === 'awaiting_message'
        ? (rt, run) => sendMessage(rt, run, { content: 'no', messageId: 'm1', final: true })
        : careful(interrupt, downstream),
    effects: { once: 1 },
  },
  {
    title: 'a child run',
    tools: ({ downstream }) => [agentTool(child(downstream))],
    children: (downstream) => [child(downstream)],
    script: call('child', { input: 'do it' }),
    effects: { keyed: 1 },
  },
  {
    title: 'two child runs of one agent at once',
    tools: ({ downstream }) => [agentTool(child(downstream))],
    children: (downstream) => [child(downstream)],
    script: [
      {
        toolCalls: [
          { name: 'child', args: { input: 1 } },
          { name: 'child', args: { input: 2 } },
        ],
      },
      'done',
    ],
    effects: { keyed: 2 },
  },
  {
    title: 'a budget that is met and raised',
    tools: ({ downstream }) => [toolOf('keyed', downstream)],
    script: one('keyed'),
    agent: { limits: { steps: 2 } },
    person: () => (rt, run) => resumeRun(rt, run, { mode: 'verbatim', by: 'ann', limits: { steps: 9 } }),
    effects: { keyed: 1 },
  },
  {
    title: 'at most one call at a time',
    tools: ({ downstream }) => kinds.map((kind) => toolOf(kind, downstream)),
    script: [{ toolCalls: kinds.map((name) => ({ name, args: {} })) }, 'done'],
    agent: { limits: { parallelCalls: 1 } },
    person: careful,
    effects: { read: 1, keyed: 1, lookup: 1, once: 1 },
  },
  {
    title: 'state that a tool writes',
    tools: ({ downstream }) => {
      const whole = toolOf('keyed', downstream);
      return [
        {
          ...whole,
          run: async (args, ctx) => {
            ctx.state.set('count', ((ctx.state.get('count') as number | undefined) ?? 0) + 1);
            return whole.run(args, ctx);
          },
        },
      ];
    },
    script: [...one('keyed').slice(0, 1), ...one('keyed')],
    effects: { keyed: 2 },
  },
];

/** A run that is cancelled at any moment of it. */
export const CANCELS: readonly Scenario[] = [
  ...kinds.map(
    (kind): Scenario => ({
      title: `a cancel beside a ${kind} call`,
      tools: ({ downstream }) => [toolOf(kind, downstream)],
      script: one(kind),
      person: careful,
      interject: cancel,
      ends: EITHER,
      effects: { [kind]: [0, 1] },
    }),
  ),
  ...kinds.map(
    (kind): Scenario => ({
      title: `a cancel beside a ${kind} call whose connection drops`,
      tools: ({ downstream }) => [dropping(kind, downstream)],
      script: one(kind),
      person: careful,
      interject: cancel,
      ends: EITHER,
      effects: { [kind]: [0, 1] },
    }),
  ),
  {
    title: 'a cancel beside four calls at once',
    tools: ({ downstream }) => kinds.map((kind) => toolOf(kind, downstream)),
    script: [{ toolCalls: kinds.map((name) => ({ name, args: {} })) }, 'done'],
    person: careful,
    interject: cancel,
    ends: EITHER,
    effects: { read: [0, 1], keyed: [0, 1], lookup: [0, 1], once: [0, 1] },
  },
  {
    title: 'a cancel from the very start',
    tools: ({ downstream }) => [toolOf('once', downstream)],
    script: one('once'),
    // The run may have ended while the canceller was held up.
    early: (rt, run) =>
      cancel(rt, run).catch(
        (error: { code?: string }) => error.code === 'run_ended' || Promise.reject(error),
      ),
    ends: EITHER,
    effects: { once: [0, 1] },
  },
  {
    title: 'a cancel of an approval',
    tools: ({ downstream }) => [toolOf('once', downstream, { gated: true })],
    script: one('once'),
    person: (interrupt, downstream) =>
      interrupt.reason === 'awaiting_approval' ? cancel : careful(interrupt, downstream),
    ends: ['cancelled'],
    effects: { once: 0 },
  },
  {
    title: 'a cancel of a sleep',
    tools: () => [sleepUntil],
    script: call('sleepUntil', { for: '60s' }),
    interject: cancel,
    ends: EITHER,
    effects: {},
  },
  {
    title: 'a cancel of a child run',
    tools: ({ downstream }) => [agentTool(child(downstream))],
    children: (downstream) => [child(downstream)],
    script: call('child', { input: 'do it' }),
    interject: cancel,
    ends: EITHER,
    effects: { keyed: [0, 1] },
  },
];

function child(downstream: Parameters<typeof toolOf>[1]) {
  return defineAgent({
    name: 'child',
    revision: '1',
    instructions: 'Be a child.',
    tools: [toolOf('keyed', downstream)],
    model: scriptedModel(one('keyed')),
  });
}

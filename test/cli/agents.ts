import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import {
  agentTool,
  askHuman,
  awaitSignal,
  defineAgent,
  defineTool,
  keyed,
  once,
  sleepUntil,
  ToolError,
} from '../../lib/index.ts';
import { scriptedModel } from '../../lib/testing/index.ts';

const SLOW_MS = 2_000;

const pay = defineTool({
  name: 'pay',
  description: 'Pay.',
  input: z.object({ amount: z.number() }),
  effect: keyed({ window: '24h' }),
  approval: { summary: ({ amount }) => `Pay ${amount}` },
  run: ({ amount }) => ({ paid: amount }),
});
const page = defineTool({
  name: 'page',
  description: 'Page somebody; the connection is cut.',
  input: z.object({}),
  effect: once({ horizon: '60s' }),
  run: () => {
    throw new ToolError('socket closed', { outcome: 'unknown' });
  },
});
const dawdle = defineTool({
  name: 'dawdle',
  description: 'Take some time.',
  input: z.object({}),
  effect: 'read',
  run: async () => {
    await sleep(SLOW_MS);
    return 'rested';
  },
});

/** Takes until a file is there, which its run's input names. */
const hold = defineTool({
  name: 'hold',
  description: 'Take until a file is there.',
  input: z.object({ until: z.string() }),
  effect: 'read',
  run: async ({ until }, { signal }) => {
    while (!existsSync(until)) await sleep(20, undefined, { signal });
    return 'held';
  },
});

const call = (name: string, args: unknown) => ({ toolCalls: [{ name, args }] });

const asker = defineAgent({
  name: 'asker',
  revision: '1',
  instructions: '',
  tools: [askHuman],
  model: scriptedModel([
    call('askHuman', {
      question: 'Which colour,\nand how many?',
      schema: {
        type: 'object',
        properties: { colour: { enum: ["it's red", 'blue'] }, count: { type: 'integer' } },
        required: ['colour', 'count'],
      },
    }),
    'asked',
  ]),
});

/** Another revision of this agent is served where the variable says so. */
const changing = defineAgent({
  name: 'changing',
  revision: process.env.TEST_REVISION ?? '1',
  instructions: `Be exact.\nThis is revision ${process.env.TEST_REVISION ?? '1'}.\nBe brief.`,
  tools: [awaitSignal],
  model: scriptedModel([call('awaitSignal', { name: 'go' }), 'gone']),
  ...(process.env.TEST_MIGRATION && {
    migrations: [{ from: '1', to: process.env.TEST_REVISION ?? '1', migrate: (state) => state }],
  }),
});

function wordsOf(message: unknown): string {
  return (message as { content: { text: string }[] }).content[0]?.text ?? '';
}

/** The agents that the tests of the command line serve. */
export default [
  defineAgent({
    name: 'holder',
    revision: '1',
    instructions: '',
    tools: [hold],
    model: scriptedModel([([first]) => call('hold', { until: wordsOf(first) }), 'held']),
  }),
  asker,
  changing,
  defineAgent({
    name: 'free',
    revision: '1',
    instructions: '',
    tools: [askHuman],
    model: scriptedModel([call('askHuman', { question: 'What now?' }), 'asked']),
  }),
  defineAgent({
    name: 'boss',
    revision: '1',
    instructions: '',
    tools: [agentTool(asker)],
    model: scriptedModel([call('asker', { input: 'ask' }), 'told']),
  }),
  defineAgent({
    name: 'waiter',
    revision: '1',
    instructions: '',
    tools: [awaitSignal],
    model: scriptedModel([call('awaitSignal', { name: "it's paid", timeout: '7d' }), 'waited']),
  }),
  defineAgent({
    name: 'sleeper',
    revision: '1',
    instructions: '',
    tools: [sleepUntil],
    model: scriptedModel([call('sleepUntil', { for: '7d' }), 'slept']),
  }),
  defineAgent({
    name: 'talker',
    revision: '1',
    instructions: '',
    conversation: true,
    model: scriptedModel(['hello', 'bye']),
  }),
  defineAgent({
    name: 'spender',
    revision: '1',
    instructions: '',
    tools: [sleepUntil],
    limits: { steps: 1, tokens: 10_000, costUsd: 5, wallClock: '30d' },
    prices: { input: 3, output: 15 },
    model: scriptedModel([call('sleepUntil', { for: '1ms' }), 'spent']),
  }),
  defineAgent({
    name: 'pauper',
    revision: '1',
    instructions: '',
    model: scriptedModel([{ error: new Error('your credit balance is too low') }]),
  }),
  defineAgent({
    name: 'echo',
    revision: '1',
    instructions: '',
    model: scriptedModel(['\u001b[31mred\u001b[0m\u202e']),
  }),
  defineAgent({
    name: 'payer',
    revision: '1',
    instructions: '',
    tools: [pay],
    model: scriptedModel([
      { toolCalls: [1, 2].map((amount) => ({ name: 'pay', args: { amount } })) },
      'paid',
    ]),
  }),
  defineAgent({
    name: 'pager',
    revision: '1',
    instructions: '',
    tools: [page],
    model: scriptedModel([{ toolCalls: [{ name: 'page', args: {} }] }, 'paged']),
  }),
  defineAgent({
    name: 'slow',
    revision: '1',
    instructions: '',
    tools: [dawdle],
    model: scriptedModel([{ toolCalls: [{ name: 'dawdle', args: {} }] }, 'awake']),
  }),
];

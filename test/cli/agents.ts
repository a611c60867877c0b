import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { defineAgent, defineTool, keyed, once, ToolError } from '../../lib/index.ts';
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

/** The agents that the tests of the command line serve. */
export default [
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

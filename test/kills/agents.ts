import { appendFileSync } from 'node:fs';
import type { LanguageModelV4, LanguageModelV4Prompt } from '@ai-sdk/provider';
import * as z from 'zod';
import { canonicalJson, sha256 } from '../../lib/core/hash.ts';
import { defineAgent, defineTool, keyed, lookup, once, type ToolContext } from '../../lib/index.ts';
import { type ScriptedAnswer, type ScriptItem, scriptedModel } from '../../lib/testing/index.ts';

/** What a run of the clerk is told. */
export interface Order {
  /** Tells the runs apart. */
  name: string;
  /** The ticket that is open as long as the clerk is to go on. */
  shift: string;
  /** The tools of each turn, called in parallel; begun again at its end. */
  plan: ToolName[][];
}

type ToolName = 'look' | 'post_comment' | 'create_ticket' | 'close_ticket' | 'page_oncall';

/** A model call as it was sent. */
export interface SentCall {
  name: string;
  turn: number;
  promptHash: string;
}

const { KILLS_DESK: desk = '', KILLS_MODEL_RECORD: modelRecord = '' } = process.env;
const HORIZON = '1s';
const MODEL_MS = 40;
const LONGEST_SHIFT = 1_000;

const look = defineTool({
  name: 'look',
  description: 'Look at a ticket.',
  input: z.object({ id: z.string() }),
  effect: 'read',
  run: async ({ id }, ctx) => answer(await ctx.fetch(`${desk}/tickets/${id}`)),
});
const postComment = defineTool({
  name: 'post_comment',
  description: 'Comment on a ticket.',
  input: z.object({ id: z.string(), text: z.string() }),
  effect: keyed({ window: '24h' }),
  run: ({ id, text }, ctx) => post(ctx, `/tickets/${id}/comments`, { text }),
});
const createTicket = defineTool({
  name: 'create_ticket',
  description: 'Open a ticket.',
  input: z.object({ title: z.string(), body: z.string() }),
  effect: lookup({
    horizon: HORIZON,
    async find(key, _args, { signal }) {
      const found = await answer(await fetch(`${desk}/tickets?key=${encodeURIComponent(key)}`, { signal }));
      const [ticket] = found.tickets as unknown[];
      return ticket === undefined ? 'not_found' : { found: ticket };
    },
  }),
  run: (ticket, ctx) => post(ctx, '/tickets', ticket),
});
const closeTicket = defineTool({
  name: 'close_ticket',
  description: 'Close a ticket.',
  input: z.object({ id: z.string(), resolution: z.string() }),
  effect: keyed({ window: '24h' }),
  approval: { summary: ({ id }) => `Close ${id}` },
  run: ({ id, resolution }, ctx) => post(ctx, `/tickets/${id}/close`, { resolution }),
});
const pageOncall = defineTool({
  name: 'page_oncall',
  description: 'Page whoever is on call.',
  input: z.object({ severity: z.enum(['low', 'high']), message: z.string() }),
  effect: once({ horizon: HORIZON }),
  run: (page, ctx) => post(ctx, '/pages', page),
});

async function post(ctx: ToolContext, path: string, body: object): Promise<unknown> {
  const headers = { 'Content-Type': 'application/json' };
  return answer(await ctx.fetch(desk + path, { method: 'POST', headers, body: JSON.stringify(body) }));
}

async function answer(response: Response): Promise<Record<string, unknown>> {
  const body = (await response.json()) as Record<string, unknown>;
  if (!response.ok) throw new Error(`the desk answered ${response.status}: ${JSON.stringify(body)}`);
  return body;
}

/** One turn of the clerk, a function of the prompt alone: the turn's calls, until a look has seen the shift closed. */
function takeTurn(prompt: LanguageModelV4Prompt, turn: number): ScriptedAnswer | string {
  const { name, shift, plan } = orderOf(prompt);
  if (resultsOf(prompt, 'look').at(-1)?.status === 'closed') return `${name} took ${turn} turns`;
  const made = resultsOf(prompt, 'create_ticket').at(-1)?.id;
  const argsOf = (tool: ToolName, text: string) =>
    ({
      look: { id: shift },
      post_comment: { id: shift, text },
      create_ticket: { title: text, body: text },
      close_ticket: { id: made, resolution: text },
      page_oncall: { severity: 'low', message: text },
    })[tool];
  const tools = plan[turn % plan.length] ?? [];
  return {
    toolCalls: tools.map((tool, index) => ({
      name: tool,
      args: argsOf(tool, `${name}, turn ${turn}, call ${index}`),
    })),
  };
}

function orderOf(prompt: LanguageModelV4Prompt): Order {
  const message = prompt.find((each) => each.role === 'user');
  const [part] = message?.role === 'user' ? message.content : [];
  return JSON.parse(part?.type === 'text' ? part.text : '') as Order;
}

/** What the calls of a tool have given so far; errors left out. */
function resultsOf(prompt: LanguageModelV4Prompt, tool: ToolName): Record<string, unknown>[] {
  return prompt.flatMap((message) => {
    if (message.role !== 'tool') return [];
    return message.content.flatMap((part) =>
      part.type === 'tool-result' && part.toolName === tool && part.output.type === 'json'
        ? [part.output.value as Record<string, unknown>]
        : [],
    );
  });
}

/** Writes down each call before it is answered, so that others can count what was really sent. */
function recorded(model: LanguageModelV4): LanguageModelV4 {
  return {
    ...model,
    doGenerate(options) {
      const { prompt } = options;
      const call: SentCall = {
        name: orderOf(prompt).name,
        turn: prompt.filter((message) => message.role === 'assistant').length,
        promptHash: sha256(canonicalJson(JSON.parse(JSON.stringify(prompt)))),
      };
      appendFileSync(modelRecord, `${JSON.stringify(call)}\n`);
      return model.doGenerate(options);
    },
  };
}

const script = Array.from(
  { length: LONGEST_SHIFT },
  (_, turn): ScriptItem =>
    (prompt) =>
      takeTurn(prompt, turn),
);

/** The agent that works while its server is killed. */
export default [
  defineAgent({
    name: 'clerk',
    revision: '1',
    instructions: 'Work until the shift is closed.',
    tools: [look, postComment, createTicket, closeTicket, pageOncall],
    model: recorded(scriptedModel(script, { delayMs: MODEL_MS })),
    snapshotEvery: 7,
  }),
];

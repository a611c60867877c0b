import * as z from 'zod';
import { type Agent, type AgentOptions, defineAgent } from '../../lib/agent.ts';
import { keyed, once } from '../../lib/core/effect.ts';
import type { Event } from '../../lib/core/events.ts';
import { createApp } from '../../lib/http/create-app.ts';
import type { Identify } from '../../lib/http/identity.ts';
import { createMemoryWorld, type MemoryWorld } from '../../lib/memory/memory-world.ts';
import type { InterruptView } from '../../lib/runtime/run-view.ts';
import type { Report } from '../../lib/runtime/runtime.ts';
import { scriptedModel } from '../../lib/testing/index.ts';
import { defineTool, ToolError } from '../../lib/tool.ts';
import { agentTool } from '../../lib/tools/agent-tool.ts';
import { askHuman } from '../../lib/tools/ask-human.ts';
import { awaitSignal } from '../../lib/tools/await-signal.ts';
import { sleepUntil } from '../../lib/tools/sleep-until.ts';
import { drive, runtimeOver } from '../support/drive.ts';

const look = defineTool({
  name: 'look',
  description: 'Give a text of some length.',
  input: z.object({ length: z.number() }),
  effect: 'read',
  run: ({ length }) => 'x'.repeat(length),
});
const pay = defineTool({
  name: 'pay',
  description: 'Pay.',
  input: z.object({ amount: z.number() }),
  effect: keyed({ window: '24h' }),
  approval: { summary: ({ amount }) => `Pay ${amount}`, risk: 'high' },
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

const asks = { name: 'askHuman', args: { question: 'Shall I?', schema: { type: 'boolean' } } };
/** Asks a yes or a no. */
export const asker = (more: Partial<AgentOptions> = {}) =>
  agent('asker', [askHuman], [{ toolCalls: [asks] }, 'asked'], more);

/** Agents that end, that wait for each of the reasons there are, and that read much. */
const agents: readonly Agent[] = [
  agent('echo', [], ['done']),
  agent('payer', [pay], [{ toolCalls: [{ name: 'pay', args: { amount: 3 } }] }, 'paid']),
  agent('pager', [page], [{ toolCalls: [{ name: 'page', args: {} }] }, 'paged']),
  agent('hoarder', [look], [{ toolCalls: Array.from({ length: 12 }, () => call(200_000)) }, 'read']),
  agent('reader', [look], [{ toolCalls: [call(20_000), call(300_000)] }, 'read']),
  asker(),
  agent(
    'waiter',
    [awaitSignal],
    [{ toolCalls: [{ name: 'awaitSignal', args: { name: 'paid' } }] }, 'waited'],
  ),
  agent('sleeper', [sleepUntil], [{ toolCalls: [{ name: 'sleepUntil', args: { for: '7d' } }] }, 'slept']),
  agent('talker', [], ['hello', 'bye'], { conversation: true }),
  agent('boss', [agentTool(asker())], [{ toolCalls: [{ name: 'asker', args: { input: 'ask' } }] }, 'told']),
  agent('spender', [look], [{ toolCalls: [call(10)] }, 'spent'], {
    limits: { steps: 2, tokens: 1_000_000, costUsd: 5, wallClock: '30d' },
    prices: { input: 3, output: 15 },
  }),
  agent('pauper', [], [{ error: new Error('your credit balance is too low') }]),
];

function call(length: number) {
  return { name: 'look', args: { length } };
}
function agent(
  name: string,
  tools: AgentOptions['tools'],
  script: unknown[],
  more: Partial<AgentOptions> = {},
): Agent {
  const model = scriptedModel(script as Parameters<typeof scriptedModel>[0]);
  return defineAgent({
    name,
    revision: '1',
    instructions: 'Be exact.',
    model,
    ...(tools && { tools }),
    ...more,
  });
}

/** An answer of the API, its body parsed. */
export interface Answered {
  readonly status: number;
  readonly body: Body;
  readonly headers: Headers;
}

/** What the tests read of bodies; each answers with some of it. */
export interface Body {
  readonly [member: string]: unknown;
  readonly code: string;
  readonly detail: string;
  readonly runId: string;
  readonly seq: number;
  readonly events: Event[];
  readonly runs: { runId: string; status: string }[];
  readonly cursor?: string;
  readonly interrupts: InterruptView[];
  readonly messageId: string;
}

/** The API over a world in memory, as a client meets it. */
export interface Office {
  readonly world: MemoryWorld;
  readonly reports: Report[];
  /** Every write to any port so far. */
  readonly writes: readonly string[];
  readonly fetch: (request: Request) => Response | Promise<Response>;
  request(path: string, init?: RequestInit): Promise<Response>;
  get(path: string): Promise<Answered>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answered>;
  /** Starts a run and lets it go as far as it can. */
  run(agent: string, input?: unknown): Promise<string>;
  drive(within?: number): Promise<void>;
  /** Puts other code in the place of agents of the same names. */
  deploy(...changed: Agent[]): void;
}

export function openOffice(options: { identify?: Identify; trustBody?: boolean } = {}): Office {
  const { identify = () => ({ tenant: 'local', by: 'local' }), trustBody = true } = options;
  const writes: string[] = [];
  const world = recordWrites(createMemoryWorld(), writes);
  const reports: Report[] = [];
  const open = (deployed: readonly Agent[]) => {
    const runtime = runtimeOver(world, deployed, { reports });
    return { rt: runtime, app: createApp({ runtime, identify, trustBody }) };
  };
  let { rt, app } = open(agents);
  const request = async (path: string, init?: RequestInit) => app.request(path, init);
  const post: Office['post'] = async (path, body, headers) =>
    read(
      await request(path, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...headers },
      }),
    );
  return {
    world,
    reports,
    writes,
    fetch: (req) => app.fetch(req),
    request,
    get: async (path) => read(await request(path)),
    post,
    async run(name, input = 'go') {
      const { body } = await post('/runs', { agent: name, input });
      await drive(world, rt);
      return body.runId;
    },
    drive: (within) => drive(world, rt, within === undefined ? {} : { within }),
    deploy(...changed) {
      const others = agents.filter((old) => !changed.some((each) => each.name === old.name));
      ({ rt, app } = open([...others, ...changed]));
    },
  };
}

async function read(response: Response): Promise<Answered> {
  const { status, headers } = response;
  return { status, headers, body: JSON.parse(await response.text()) as Body };
}

const READS = new Set(['load', 'read', 'evidence', 'get', 'list', 'due']);
const PORTS = ['log', 'index', 'inbox', 'decisions', 'blobs', 'wakes', 'timers', 'notifier'] as const;

/** The world itself, with a note of every write to a port. */
function recordWrites(world: MemoryWorld, writes: string[]): MemoryWorld {
  const recorded = PORTS.map((name) => {
    const port = world[name] as unknown as Record<string, (...args: unknown[]) => unknown>;
    const methods = Object.entries(port).map(([method, call]) => [
      method,
      (...args: unknown[]) => {
        if (!READS.has(method)) writes.push(`${name}.${method}`);
        return call.apply(port, args);
      },
    ]);
    return [name, Object.fromEntries(methods)];
  });
  return { ...world, ...Object.fromEntries(recorded) };
}

import * as z from 'zod';
import { type Agent, defineAgent } from '../../lib/agent.ts';
import { keyed, once } from '../../lib/core/effect.ts';
import type { Event } from '../../lib/core/events.ts';
import { createApp } from '../../lib/http/create-app.ts';
import type { Identify } from '../../lib/http/identity.ts';
import { createMemoryWorld, type MemoryWorld } from '../../lib/memory/memory-world.ts';
import type { InterruptView } from '../../lib/runtime/run-view.ts';
import type { Report, Runtime } from '../../lib/runtime/runtime.ts';
import { scriptedModel } from '../../lib/testing/index.ts';
import { defineTool, ToolError } from '../../lib/tool.ts';
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

/** Agents that end, that wait for an approval, that are in doubt, and that read much. */
export const agents: readonly Agent[] = [
  agent('echo', [], ['done']),
  agent('payer', [pay], [{ toolCalls: [{ name: 'pay', args: { amount: 3 } }] }, 'paid']),
  agent('pager', [page], [{ toolCalls: [{ name: 'page', args: {} }] }, 'paged']),
  agent('hoarder', [look], [{ toolCalls: Array.from({ length: 12 }, () => call(200_000)) }, 'read']),
  agent('reader', [look], [{ toolCalls: [call(20_000), call(300_000)] }, 'read']),
];

function call(length: number) {
  return { name: 'look', args: { length } };
}
function agent(name: string, tools: Parameters<typeof defineAgent>[0]['tools'], script: unknown[]): Agent {
  const model = scriptedModel(script as Parameters<typeof scriptedModel>[0]);
  return defineAgent({ name, revision: '1', instructions: 'Be exact.', model, ...(tools && { tools }) });
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
}

/** The API over a world in memory, as a client meets it. */
export interface Office {
  readonly world: MemoryWorld;
  readonly rt: Runtime;
  readonly reports: Report[];
  /** Every write to any port so far. */
  readonly writes: readonly string[];
  readonly fetch: (request: Request) => Response | Promise<Response>;
  request(path: string, init?: RequestInit): Promise<Response>;
  get(path: string): Promise<Answered>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answered>;
  /** Starts a run and lets it go as far as it can. */
  run(agent: string, input?: unknown): Promise<string>;
  drive(): Promise<void>;
}

export function openOffice(options: { identify?: Identify; trustBody?: boolean } = {}): Office {
  const { identify = () => ({ tenant: 'local', by: 'local' }), trustBody = true } = options;
  const writes: string[] = [];
  const world = recordWrites(createMemoryWorld(), writes);
  const reports: Report[] = [];
  const rt = runtimeOver(world, agents, { reports });
  const app = createApp({ runtime: rt, identify, trustBody });
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
    rt,
    reports,
    writes,
    fetch: app.fetch,
    request,
    get: async (path) => read(await request(path)),
    post,
    async run(name, input = 'go') {
      const { body } = await post('/runs', { agent: name, input });
      await drive(world, rt);
      return body.runId;
    },
    drive: () => drive(world, rt),
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

import { type Agent, type AgentOptions, defineAgent } from '../../lib/agent.ts';
import type { Draft, Event } from '../../lib/core/events.ts';
import { sha256 } from '../../lib/core/hash.ts';
import { createMemoryWorld } from '../../lib/memory/memory-world.ts';
import { decide } from '../../lib/runtime/decide.ts';
import { describeRun } from '../../lib/runtime/describe-run.ts';
import { readEvents } from '../../lib/runtime/read-events.ts';
import type { RunMemory } from '../../lib/runtime/run-memory.ts';
import type { Report } from '../../lib/runtime/runtime.ts';
import { startRun } from '../../lib/runtime/start-run.ts';
import { takeStep } from '../../lib/runtime/take-step.ts';
import { verifyRun } from '../../lib/runtime/verify-run.ts';
import { type ScriptItem, scriptedModel } from '../../lib/testing/index.ts';
import type { Tool } from '../../lib/tool.ts';
import { drive, runtimeOver } from './drive.ts';

type SceneOptions = Partial<AgentOptions> & {
  script?: readonly ScriptItem[];
  spillAt?: number;
  /** Further agents that are served. */
  beside?: readonly Agent[];
  /** What its process remembers. @default nothing */
  memory?: RunMemory;
};

/** One agent, one run and one memory world, for a story told step by step. */
export async function scene(options: SceneOptions = {}) {
  const { script = ['done'], spillAt, beside = [], memory, ...agentOptions } = options;
  const agentOf = (changes: Partial<AgentOptions> = {}) =>
    defineAgent({
      name: 'agent',
      revision: '1',
      instructions: 'Act.',
      model: scriptedModel(script),
      ...agentOptions,
      ...changes,
    });
  const world = createMemoryWorld();
  const reports: Report[] = [];
  const rt = runtimeOver(world, [agentOf(), ...beside], {
    reports,
    memory,
    ...(spillAt !== undefined && { spillAt }),
  });
  const { runId } = await startRun(rt, { tenant: 't', agent: 'agent', input: 'go' });
  const run = { tenant: 't', runId };
  const onError = (error: unknown) => reports.push({ level: 'error', message: String(error) });
  return {
    world,
    rt,
    run,
    reports,
    agentOf,
    drive: (within?: number) => drive(world, rt, { onError, ...(within !== undefined && { within }) }),
    /** Delivers what falls due until a point in time, and lets it come. */
    async driveUntil(at: number) {
      await drive(world, rt, { onError, until: at });
      world.advanceTo(at);
    },
    /** Receives one message and takes its step; the promise is the worker, still at work. */
    worker() {
      const message = world.receive();
      if (!message) throw new Error('there is no message to be received');
      const { receipt, ...plain } = message;
      return { message, done: takeStep(rt, plain).then(() => world.acknowledge(receipt)) };
    },
    view: () => describeRun(rt, run),
    events: () => readEvents(rt, run, { after: -1, limit: 10_000 }),
    types: async () => (await readEvents(rt, run, { after: -1, limit: 10_000 })).map((event) => event.type),
    verify: async () => (await verifyRun(rt, run)).violations,
    decide: (
      interruptId: string,
      decision: string,
      more: { by?: string; value?: unknown; note?: string } = {},
    ) => decide(rt, run, interruptId, { decision, by: 'ann', ...more }),
    /** Writes into the log as no worker of ours would. */
    async forge(drafts: readonly (Draft | Record<string, unknown>)[]) {
      const head = (await describeRun(rt, run)).seq;
      const at = new Date(world.clock.now()).toISOString();
      const events = drafts.map((draft, index) => ({ v: 1, seq: head + 1 + index, at, ...draft }) as Event);
      const hash = sha256(JSON.stringify(events));
      await world.log.append(run, { seq: head + 1, events, owner: 'forger', messageId: 'none', hash });
    },
  };
}

/** A script that calls one tool, then says `done`. */
export function callOnce(name: string, args: unknown = {}): ScriptItem[] {
  return [{ toolCalls: [{ name, args }] }, 'done'];
}

/** A copy of a tool with other parts. */
export function withParts(tool: Tool, parts: Partial<Tool>): Tool {
  return { ...tool, ...parts };
}

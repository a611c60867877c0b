import type { Agent } from '../../lib/agent.ts';
import type { Event, EventOf } from '../../lib/core/events.ts';
import type { Json } from '../../lib/core/json.ts';
import { createMemoryWorld } from '../../lib/memory/memory-world.ts';
import type { RunKey } from '../../lib/ports/run-key.ts';
import { decide } from '../../lib/runtime/decide.ts';
import { describeRun } from '../../lib/runtime/describe-run.ts';
import { readEvents } from '../../lib/runtime/read-events.ts';
import { startRun } from '../../lib/runtime/start-run.ts';
import { verifyRun } from '../../lib/runtime/verify-run.ts';
import { drive, runtimeOver } from '../support/drive.ts';

const TENANT = 't';

/** A memory world that serves the agents of an example. */
export function stageOf(agents: readonly Agent[]) {
  const world = createMemoryWorld();
  let rt = runtimeOver(world, agents);
  return {
    world,
    runtime: () => rt,
    /** Goes on with other code, as after a restart. */
    serve(others: readonly Agent[]) {
      rt = runtimeOver(world, others);
    },
    /** Starts a run of the first agent, and lets it come to rest. */
    async start(input: Json, limits?: { steps: number }): Promise<RunKey> {
      const agent = agents[0]?.name ?? '';
      const { runId } = await startRun(rt, { tenant: TENANT, agent, input, ...(limits && { limits }) });
      await drive(world, rt);
      return { tenant: TENANT, runId };
    },
    rest: (within?: number) => drive(world, rt, within === undefined ? {} : { within }),
    view: (run: RunKey) => describeRun(rt, run),
    async events<T extends Event['type']>(run: RunKey, type: T): Promise<EventOf<T>[]> {
      const events = await readEvents(rt, run, { after: -1, limit: 10_000 });
      return events.filter((event): event is EventOf<T> => event.type === type);
    },
    /** Decides the one open interrupt of a run, and lets the run come to rest. */
    async decide(run: RunKey, decision: string, more: { value?: Json; note?: string } = {}) {
      const [open] = (await describeRun(rt, run)).interrupts;
      const made = await decide(rt, run, open?.interruptId ?? 'none', { decision, by: 'ann', ...more });
      await drive(world, rt);
      return made;
    },
    violations: async (run: RunKey) => (await verifyRun(rt, run)).violations,
  };
}

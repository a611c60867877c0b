import type { Agent } from '../../lib/agent.ts';
import type { MemoryWorld } from '../../lib/memory/memory-world.ts';
import type { World } from '../../lib/ports/world.ts';
import { registryOf } from '../../lib/registry.ts';
import type { RunMemory } from '../../lib/runtime/run-memory.ts';
import type { Report, Runtime } from '../../lib/runtime/runtime.ts';
import { sweep } from '../../lib/runtime/sweep.ts';
import { takeStep } from '../../lib/runtime/take-step.ts';

/** A runtime over a world; `ports` replaces single ports, for faults. */
export function runtimeOver(
  world: World,
  agents: readonly Agent[],
  options: { spillAt?: number; reports?: Report[]; memory?: RunMemory | undefined } = {},
): Runtime {
  const { spillAt, reports, memory } = options;
  return {
    world,
    agents: registryOf(agents),
    ...(spillAt !== undefined && { spillAt }),
    ...(memory && { memory }),
    report: (report) => reports?.push(report),
  };
}

const STEPS = 10_000;

/**
 * Delivers messages one after another, and moves the clock to the next one, until nothing falls due within `within` ms
 * of the last event, or before `until`. What a worker throws leaves its message to come again.
 */
export async function drive(
  world: MemoryWorld,
  rt: Runtime,
  options: { within?: number; until?: number; onError?: (error: unknown) => void; swept?: boolean } = {},
): Promise<void> {
  const { within = 3_600_000, until = Number.POSITIVE_INFINITY, onError, swept = false } = options;
  for (let taken = 0; taken < STEPS; taken++) {
    const message = world.receive();
    if (message) {
      const { receipt, ...rest } = message;
      try {
        await takeStep(rt, rest);
        world.acknowledge(receipt);
      } catch (error) {
        if (!onError) throw error;
        onError(error);
      }
      continue;
    }
    const next = world.nextAt();
    if (next === undefined || next > Math.min(world.clock.now() + within, until)) {
      if (swept && (await sweep(rt)) > 0) continue;
      return;
    }
    world.advanceTo(next);
  }
  throw new Error(`the run did not come to rest within ${STEPS} deliveries`);
}

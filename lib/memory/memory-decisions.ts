import type { Decision, Decisions } from '../ports/decisions.ts';
import { perRun } from './per-run.ts';

/** Decision slots as a map from interrupt to JSON text. */
export function memoryDecisions(): Decisions {
  const slots = perRun(() => new Map<string, string>());

  return {
    async put(run, decision) {
      const slot = slots(run);
      const held = slot.get(decision.interruptId);
      const holds = held ?? JSON.stringify(decision);
      slot.set(decision.interruptId, holds);
      return { won: held === undefined, holds: JSON.parse(holds) as Decision };
    },

    async get(run, interruptId) {
      const held = slots(run).get(interruptId);
      return held === undefined ? undefined : (JSON.parse(held) as Decision);
    },
  };
}

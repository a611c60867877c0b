import type { Timers } from '../ports/timers.ts';
import type { Clock } from '../ports/world.ts';
import type { MemoryWakes } from './memory-wakes.ts';

type Timer = Parameters<Timers['arm']>[0];

/** Timers that fire when they are told that time has passed; a name is free again once its timer has fired. */
export interface MemoryTimers extends Timers {
  /** Sends the wakes of all timers that are due. */
  fire(): void;
  /** The timers that have not fired, the earliest first. */
  armed(): Timer[];
}

export function memoryTimers({ clock, wakes }: { clock: Clock; wakes: MemoryWakes }): MemoryTimers {
  const armed = new Map<string, string>();
  const earliestFirst = () =>
    [...armed.values()].map((text) => JSON.parse(text) as Timer).sort((a, b) => a.at - b.at);

  const timers: MemoryTimers = {
    async arm(timer) {
      if (!armed.has(timer.name)) armed.set(timer.name, JSON.stringify(timer));
      timers.fire();
    },

    fire() {
      for (const { name, at, wake, lane } of earliestFirst()) {
        if (at > clock.now()) return;
        armed.delete(name);
        wakes.sendAt(wake, { lane, at });
      }
    },

    armed: earliestFirst,
  };
  return timers;
}

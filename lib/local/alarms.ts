import type { Clock } from '../ports/world.ts';

/** The clock is looked at again at least this often, so that a machine that slept is late by no more. */
const LONGEST_WAIT_MS = 60_000;

/** Calls back at times however far off, never early. */
export interface Alarms {
  at(time: number, ring: () => void): void;
  /** Forgets all that were set, and takes no more. */
  close(): void;
}

export function createAlarms(clock: Clock): Alarms {
  const waiting = new Set<NodeJS.Timeout>();
  let closed = false;

  const alarms: Alarms = {
    at(time, ring) {
      if (closed) return;
      const wait = Math.min(Math.max(time - clock.now(), 0), LONGEST_WAIT_MS);
      const timeout = setTimeout(() => {
        waiting.delete(timeout);
        if (clock.now() >= time) ring();
        else alarms.at(time, ring);
      }, wait);
      waiting.add(timeout);
    },

    close() {
      closed = true;
      for (const timeout of waiting) clearTimeout(timeout);
      waiting.clear();
    },
  };
  return alarms;
}

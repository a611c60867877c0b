import type { Clock } from '../ports/world.ts';

/** A clock that moves only when it is told to, and never back. */
export interface VirtualClock extends Clock {
  /** A time that has passed already changes nothing. */
  advanceTo(ms: number): void;
}

export function virtualClock(start: number): VirtualClock {
  let now = start;
  return {
    now: () => now,
    advanceTo: (ms) => {
      now = Math.max(now, ms);
    },
  };
}

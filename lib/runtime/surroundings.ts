import type { Surroundings } from '../core/next.ts';
import type { Runtime } from './runtime.ts';

/** The time now, and what this world knows about dead workers. */
export function surroundings(rt: Runtime): Surroundings {
  const { clock, fence } = rt.world;
  return { now: clock.now(), margin: fence.margin, lock: fence.lock };
}

/** A time in ms as the log writes it. */
export function instant(ms: number): string {
  return new Date(ms).toISOString();
}

import type { Clock } from '../ports/world.ts';

/** The clock of the machine. */
export const systemClock: Clock = { now: () => Date.now() };

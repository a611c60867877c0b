import { setTimeout } from 'node:timers/promises';
import type { Clock } from '../ports/world.ts';

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (ms) => {
    await setTimeout(ms);
  },
};

import { isStepfoldError } from '../core/errors.ts';
import type { Runtime } from './runtime.ts';

const TRIES = 3;
const FIRST_MS = 50;
const LONGEST_MS = 2_000;

/**
 * Repeats a write that the store did not answer: at once, then with growing waits until `until` (ms since the epoch). What
 * a worker holds in its hand is not thrown away for a short outage. Only for writes that may be repeated.
 */
export async function patiently<T>(rt: Runtime, until: number, write: () => Promise<T>): Promise<T> {
  const { clock, ids } = rt.world;
  for (let tried = 1, wait = FIRST_MS; ; tried++) {
    try {
      return await write();
    } catch (error) {
      if (!isStepfoldError(error, 'unavailable')) throw error;
      if (tried < TRIES) continue;
      if (!clock.sleep || clock.now() + wait > until) throw error;
      await clock.sleep(wait * (0.5 + ids.random() / 2));
      wait = Math.min(wait * 2, LONGEST_MS);
    }
  }
}

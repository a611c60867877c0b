import { milliseconds } from '../core/duration.ts';
import { isStepfoldError } from '../core/errors.ts';

/** The longest that a tool may wait: a year and a day. */
const LONGEST_MS = 366 * 86_400_000;

/** When a wait of some duration ends, or what is wrong with the duration, for the model to read. */
export function endOfWait(duration: string, now: number): { at: number } | { error: string } {
  try {
    const ms = milliseconds(duration);
    if (ms <= LONGEST_MS) return { at: now + ms };
    return { error: `expected a wait of at most 366 days, got ${duration}` };
  } catch (error) {
    if (isStepfoldError(error)) return { error: error.message };
    throw error;
  }
}

/** Checks a point in time; one in the past is due at once. */
export function endAt(instant: string, now: number): { at: number } | { error: string } {
  const at = Date.parse(instant);
  if (Number.isNaN(at))
    return { error: `expected a date and time as ISO 8601 has them, got ${JSON.stringify(instant)}` };
  if (at - now > LONGEST_MS) return { error: `expected a time within 366 days, got ${instant}` };
  return { at };
}

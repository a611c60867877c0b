import * as z from 'zod';
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

/** A day, or a time of it with its offset: everything else would mean something else on another machine. */
const instantSchema = z.union([
  z.iso.date(),
  z.iso.datetime({ offset: true }),
  z.iso.datetime({ offset: true, precision: -1 }),
]);

/** Checks a point in time; one in the past is due at once. */
export function endAt(instant: string, now: number): { at: number } | { error: string } {
  const at = instantSchema.safeParse(instant).success ? Date.parse(instant) : Number.NaN;
  if (Number.isNaN(at)) {
    const said = JSON.stringify(instant);
    return { error: `expected a date and time with its offset, such as 2026-03-01T09:00:00Z, got ${said}` };
  }
  if (at - now > LONGEST_MS) return { error: `expected a time within 366 days, got ${instant}` };
  return { at };
}

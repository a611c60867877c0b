import * as z from 'zod';
import { StepfoldError } from './errors.ts';
import { EVENT_VERSION, type Event, eventSchema } from './events.ts';

/**
 * Validates an event that was read from a store.
 *
 * @throws StepfoldError `unknown_event`: an event type, version or shape that this code does not know stops its run;
 * it is never skipped and never guessed.
 */
export function parseEvent(stored: unknown): Event {
  const parsed = eventSchema.safeParse(stored);
  if (parsed.success) return parsed.data;
  const { seq: at, type, v } = (stored ?? {}) as { seq?: unknown; type?: unknown; v?: unknown };
  throw new StepfoldError(
    'unknown_event',
    `expected an event of a type and version (${EVENT_VERSION}) that this code knows; ` +
      `event ${String(at)} is ${String(type)} of version ${String(v)}: ${z.prettifyError(parsed.error)}. ` +
      'Deploy the code that wrote it, or a newer one.',
    { cause: parsed.error },
  );
}

/**
 * Refuses an event that nobody could read back, before it is written: in a log it would stop its run for good.
 *
 * @throws StepfoldError `bad_event`
 */
export function assertReadable(event: Event): void {
  const { error } = eventSchema.safeParse(event);
  if (!error) return;
  throw new StepfoldError(
    'bad_event',
    `expected to write an event that can be read back, but ${event.type} at seq ${event.seq} is none: ${z.prettifyError(error)}`,
    { cause: error },
  );
}

import { isStepfoldError } from '../core/errors.ts';
import type { LoggedError } from '../core/event-parts.ts';

const LONGEST = 4_000;

/** An error as the log keeps it: its message and those of its causes, cut at 4,000 characters. */
export function loggedError(error: unknown, code: string): LoggedError {
  const parts: string[] = [];
  for (
    let at: unknown = error;
    at !== undefined && at !== null && parts.length < 5;
    at = (at as { cause?: unknown }).cause
  ) {
    const message = at instanceof Error ? at.message || at.name : String(at);
    if (message !== '' && !parts.some((part) => part.includes(message))) parts.push(message);
    if (!(at instanceof Error)) break;
  }
  const message = parts.join(': ') || 'no message';
  return { code: isStepfoldError(error) ? error.code : code, message: shortened(message) };
}

/** At most 4,000 characters: an event must fit its store, whatever a model has written. */
export function shortened(message: string): string {
  if (message.length <= LONGEST) return message;
  return `${message.slice(0, LONGEST)}… (${message.length - LONGEST} characters cut)`;
}

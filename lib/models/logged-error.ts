import { isStepfoldError } from '../core/errors.ts';
import type { LoggedError } from '../core/event-parts.ts';
import { errorChain } from './error-chain.ts';

const LONGEST = 4_000;

/** An error as the log keeps it: its message and those of its causes, cut at 4,000 characters. Never throws. */
export function loggedError(error: unknown, code: string): LoggedError {
  const parts: string[] = [];
  for (const { message, name = '' } of errorChain(error)) {
    const said = message === '' ? name : message;
    if (said !== '' && !parts.some((part) => part.includes(said))) parts.push(said);
  }
  const message = parts.join(': ') || 'no message';
  return { code: codeOf(error) ?? code, message: shortened(message) };
}

function codeOf(error: unknown): string | undefined {
  try {
    return isStepfoldError(error) ? error.code : undefined;
  } catch {
    return undefined;
  }
}

/** At most 4,000 characters: an event must fit its store, whatever a model has written. */
export function shortened(message: string): string {
  if (message.length <= LONGEST) return message;
  return `${message.slice(0, LONGEST)}… (${message.length - LONGEST} characters cut)`;
}

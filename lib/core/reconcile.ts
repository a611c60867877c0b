import { diedWithProcess, isDangling, type Surroundings } from './next.ts';
import type { Attempts, ToolCall } from './state.ts';

/** How long a request may still land after its worker's deadline, in ms. */
const LANDING_MS = 60_000;

/** What is to be done with a tool call that is due. */
export type Remedy =
  | 'send'
  /** Ask the downstream what became of it. */
  | 'ask'
  /** Put it before a person: nobody else can know. */
  | 'doubt'
  /** Tell the model that it failed for good. */
  | 'give_up';

/** Where a call is due: the time, and what a further attempt would take. */
export interface AttemptTerms extends Surroundings {
  /** `retry.attempts`: attempts in all. */
  readonly attempts: number;
  /** The deadline that a claim made now would have, in ms since the epoch. */
  readonly deadline: number;
}

/** The rule for a call that is due, by the effect that its claim logged. */
export function remedyOf(call: ToolCall, terms: AttemptTerms): Remedy {
  if (call.phase === 'ready') return 'send';
  const inWindow = call.effect !== 'keyed' || fitsWindow(call, terms);
  if (!isDangling(call, terms)) return inWindow ? 'send' : 'doubt';
  switch (call.effect) {
    case 'read':
      return attemptsLeft(call, terms) ? 'send' : 'give_up';
    case 'keyed':
      return attemptsLeft(call, terms) && inWindow ? 'send' : 'doubt';
    case 'lookup':
      return 'ask';
    default:
      return 'doubt';
  }
}

/** The rule for a `lookup` call that the downstream does not know. */
export function remedyAfterNotFound(call: ToolCall, terms: AttemptTerms): 'send' | 'give_up' {
  return attemptsLeft(call, terms) ? 'send' : 'give_up';
}

/** So many deaths of a whole process are not the call's fault; what a call does in each of more lives may well be. */
const FORGIVEN = 20;

/** Attempts that were lost together with their whole process do not count, up to a point. */
export function attemptsLeft(call: Attempts, terms: AttemptTerms): boolean {
  return call.attempt - crashesOf(call, terms) < terms.attempts;
}

/** The attempts so far that ended with their whole process, the last one included where it did. */
export function crashesOf(call: Attempts, around: Surroundings): number {
  return call.crashes + (diedWithProcess(call, around) && call.crashes < FORGIVEN ? 1 : 0);
}

/** The key is sent again only if even the slowest request of that attempt lands while the downstream still knows it. */
function fitsWindow(call: ToolCall, terms: AttemptTerms): boolean {
  const opened = Date.parse(call.firstClaimAt ?? '');
  return terms.deadline + LANDING_MS + terms.margin <= opened + (call.window ?? 0);
}

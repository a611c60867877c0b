import type { Limits, Ref } from '../core/event-parts.ts';
import type { RunKey } from './run-key.ts';

/** The answer to an interrupt that asks one, or its expiry. */
export interface Decision {
  readonly interruptId: string;
  readonly decision: string;
  readonly by: string;
  readonly at: string;
  readonly note?: string;
  /** The hash of the exact argument bytes that were approved. */
  readonly argsHash?: string;
  /** The limits that hold from now on (`budget_exceeded`). */
  readonly limits?: Limits;
  /** The code that old events may meet from now on (`version_mismatch`). */
  readonly accepted?: { readonly revision: string; readonly promptHash: string };
  readonly value?: unknown;
  readonly valueRef?: Ref;
}

/**
 * One slot per interrupt, written once. No step worker can write it.
 *
 * `put` stores the decision if the slot is empty and gives what the slot holds afterwards: the caller compares. `get` is
 * strongly consistent. Either may throw `unavailable`.
 */
export interface Decisions {
  put(run: RunKey, decision: Decision): Promise<{ won: boolean; holds: Decision }>;
  get(run: RunKey, interruptId: string): Promise<Decision | undefined>;
}

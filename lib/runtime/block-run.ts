import type { InterruptReason, LoggedError } from '../core/event-parts.ts';
import type { Draft } from '../core/events.ts';
import type { Json } from '../core/json.ts';
import type { RunState } from '../core/state.ts';
import { commit, type Visit } from './visit.ts';

/** Opens an interrupt that concerns the run as a whole: nothing new is begun until a person resumes it. */
export async function blockRun(
  visit: Visit,
  why: { reason: InterruptReason; facts: Record<string, Json> },
): Promise<void> {
  if (await commit(visit, [blockDraft(visit.state, why)])) visit.acted = 'ours';
}

/** The event that does so, as the `offset`-th of its commit. */
export function blockDraft(
  state: RunState,
  why: { reason: InterruptReason; facts: Record<string, Json>; step?: number; error?: LoggedError },
  offset = 0,
): Draft {
  const { reason, facts, step = state.step + 1, error } = why;
  return {
    type: 'interrupted',
    step,
    interruptId: `i${state.head + 1 + offset}`,
    reason,
    facts,
    ...(error && { error }),
  };
}

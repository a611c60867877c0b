import type { Exceeded } from '../core/budget.ts';
import type { InterruptReason, LoggedError } from '../core/event-parts.ts';
import type { Draft } from '../core/events.ts';
import { lostUsage } from '../core/fold.ts';
import type { Json } from '../core/json.ts';
import type { RunState } from '../core/state.ts';
import { instant } from './surroundings.ts';
import { commit, type Visit } from './visit.ts';

/** Opens an interrupt that concerns the run as a whole: nothing new is begun until a person resumes it. */
export async function blockRun(
  visit: Visit,
  why: { reason: InterruptReason; facts: Record<string, Json> },
): Promise<void> {
  if (await commit(visit, [blockDraft(visit.state, why)])) visit.acted = 'ours';
}

/** Stops the run at a limit. A model call whose attempt was lost is booked with that, since nobody issues it again for now. */
export async function stopAtLimit(visit: Visit, met: Exceeded): Promise<void> {
  const { model } = visit.state;
  const { step, attempt } = model;
  const error = { code: 'attempt_lost', message: 'the model call was cut off, and a limit is met' };
  const lost: Draft[] =
    model.phase === 'claimed'
      ? [
          {
            type: 'model_call_failed',
            step,
            error,
            attempt,
            retryAt: instant(visit.rt.world.clock.now()),
            usage: lostUsage(model),
          },
        ]
      : [];
  const why = { reason: 'budget_exceeded' as const, facts: { ...met } };
  if (await commit(visit, [...lost, blockDraft(visit.state, why, lost.length)])) visit.acted = 'ours';
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

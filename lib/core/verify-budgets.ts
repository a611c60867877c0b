import { exceeded } from './budget.ts';
import type { Event, EventOf } from './events.ts';
import { fold } from './fold.ts';
import { openCall } from './fold-turn.ts';
import { isBlocked } from './next.ts';
import { emptyState, type RunState } from './state.ts';
import type { Violation } from './verify.ts';

/** The check precedes the commit that bears the time: so much later may the wall clock have been met. */
const BETWEEN_MS = 60_000;

/**
 * 10. Nothing new is sent beyond a limit. 12. The code that old events meet changes only by a migration from the revision
 * that held, or by a decision on the mismatch; nothing is begun while an interrupt about the run as a whole is open.
 */
export function checkBudgets(events: readonly Event[]): Violation[] {
  const violations: Violation[] = [];
  let state = emptyState();
  for (const event of events) {
    const before = state;
    state = fold([event], state);
    if (event.type === 'model_call_requested' || event.type === 'tool_call_requested') {
      violations.push(...checkSent(before, event));
    }
    if (event.type === 'version_migrated' && event.from !== before.revision) {
      const message = `it was migrated from revision ${event.from}, but ${before.revision} held`;
      violations.push({ guarantee: 12, message, events: [event.seq] });
    }
    if (event.type === 'resumed' && event.outcome.accepted) {
      const interrupt = before.interrupts.find((each) => each.interruptId === event.interruptId);
      if (interrupt?.reason === 'version_mismatch') continue;
      violations.push({
        guarantee: 12,
        message: 'other code was accepted without a mismatch',
        events: [event.seq],
      });
    }
  }
  return violations;
}

function checkSent(
  before: RunState,
  event: EventOf<'model_call_requested'> | EventOf<'tool_call_requested'>,
): Violation[] {
  const events = [event.seq];
  const call = event.type === 'tool_call_requested' ? openCall(before, event.callId) : before.model;
  const isNew = event.type === 'model_call_requested' || call?.phase === 'ready' || call?.phase === 'retry';
  const violations: Violation[] = [];
  if (isBlocked(before)) {
    const reasons = before.interrupts.map((each) => each.reason).join(', ');
    violations.push({ guarantee: 12, message: `a call was begun while the run waits (${reasons})`, events });
  }
  const met = isNew && call ? exceeded(before, call, Date.parse(event.at) - BETWEEN_MS) : undefined;
  if (met) {
    const message = `a call was begun beyond limits.${met.limit}: ${met.used} of ${met.allowed} were used`;
    violations.push({ guarantee: 10, message, events });
  }
  return violations;
}

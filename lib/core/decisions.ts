import type { InterruptReason, Limits } from './event-parts.ts';
import type { Draft, Outcome } from './events.ts';
import { type Payload, payloadFields } from './payload.ts';
import type { OpenInterrupt } from './state.ts';

/** The decision that the passing of time writes into a slot. */
export const EXPIRED = 'expired';
/** Who writes it. */
export const EXPIRY = 'stepfold:expiry';

const KINDS: Partial<Record<InterruptReason, readonly string[]>> = {
  awaiting_approval: ['approve', 'deny'],
  awaiting_input: ['answer'],
  in_doubt: ['happened', 'retry', 'skip', 'fail'],
  budget_exceeded: ['verbatim'],
  provider_blocked: ['verbatim'],
  version_mismatch: ['verbatim', 'migrate'],
};

/** The decisions that an interrupt takes; none where something else ends it. */
export function decisionsFor(reason: InterruptReason): readonly string[] {
  return KINDS[reason] ?? [];
}

/** Whether a decision carries a value, and must. */
export function takesValue(decision: string): boolean {
  return decision === 'happened' || decision === 'answer';
}

/** What a slot holds, as the fold needs it. */
export interface SlotContent {
  readonly decision: string;
  readonly by: string;
  readonly at: string;
  readonly note?: string;
  readonly limits?: Limits;
  readonly accepted?: { revision: string; promptHash: string };
  readonly value?: Payload;
}

/** The events by which a decision becomes the outcome of its interrupt, all in one commit. */
export function resumption(interrupt: OpenInterrupt, slot: SlotContent): Draft[] {
  const { step } = interrupt;
  const outcome: Outcome = {
    decision: slot.decision,
    at: slot.at,
    ...(slot.note !== undefined && { note: slot.note }),
    ...(slot.limits && { limits: slot.limits }),
    ...(slot.accepted && { accepted: slot.accepted }),
    ...payloadFields('value', slot.value),
  };
  const resumed: Draft = { type: 'resumed', step, interruptId: interrupt.interruptId, by: slot.by, outcome };
  const answer = interrupt.callId === undefined ? undefined : answerOf(interrupt, interrupt.callId, slot);
  return answer ? [resumed, answer] : [resumed];
}

function answerOf(interrupt: OpenInterrupt, callId: string, slot: SlotContent): Draft | undefined {
  const returned = { type: 'tool_returned' as const, step: interrupt.step, callId };
  const told = slot.note === undefined ? '' : `: ${slot.note}`;
  switch (slot.decision) {
    case 'deny':
      return {
        ...returned,
        source: 'denied',
        error: { code: 'denied', message: slot.note ?? 'denied without a note' },
      };
    case 'answer':
      return { ...returned, source: 'resumed', ...payloadFields('result', slot.value ?? { value: null }) };
    case EXPIRED:
      if (interrupt.reason === 'awaiting_input')
        return { ...returned, source: 'resumed', result: { timedOut: true } };
      return {
        ...returned,
        source: 'denied',
        error: { code: EXPIRED, message: 'nobody approved it in time' },
      };
    case 'happened':
      return { ...returned, source: 'operator', ...payloadFields('result', slot.value ?? { value: null }) };
    case 'skip': {
      const message = `The outcome of this call is unknown: it may have happened. Do not repeat it as a new call${told}`;
      return { ...returned, source: 'operator', error: { code: 'outcome_unknown', message } };
    }
    case 'fail':
      return {
        ...returned,
        source: 'operator',
        error: { code: 'failed', message: `The call failed${told}` },
      };
    default:
      return undefined;
  }
}

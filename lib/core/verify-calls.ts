import type { Event, EventOf } from './events.ts';
import type { Violation } from './verify.ts';

interface Attempted {
  requests: number[];
  resolved?: number;
  /** Since the last request: what allows another one of a `once` call. */
  released: boolean;
}

/**
 * 2. One resolution per call, a claimed one only after its claim. 3. A call with a logged outcome is never claimed again.
 * 5. A `once` effect is sent at most once unless a person said so after the horizon. 8. Nothing is claimed after a cancel, and nothing
 * happens after the end.
 */
export function checkCalls(events: readonly Event[]): Violation[] {
  const violations: Violation[] = [];
  const calls = new Map<string, Attempted>();
  const interrupts = new Map<string, EventOf<'interrupted'>>();
  const asked = new Set<string>();
  let ended: Event | undefined;
  let cancelled: Event | undefined;
  const report = (guarantee: number, message: string, ...at: number[]) => {
    violations.push({ guarantee, message, events: at });
  };
  const of = (id: string) => {
    const known = calls.get(id) ?? { requests: [], released: true };
    calls.set(id, known);
    return known;
  };
  const resolve = (id: string, seq: number) => {
    const call = of(id);
    if (call.resolved !== undefined) report(2, `${id} is resolved twice`, call.resolved, seq);
    call.resolved = seq;
    return call;
  };
  const request = (id: string, seq: number) => {
    const call = of(id);
    if (cancelled) report(8, `${id} is claimed after the cancel`, cancelled.seq, seq);
    if (call.resolved !== undefined) report(3, `${id} is claimed after its outcome`, call.resolved, seq);
    call.requests.push(seq);
    return call;
  };
  for (const event of events) {
    if (ended) report(8, `${event.type} stands after ${ended.type}`, ended.seq, event.seq);
    switch (event.type) {
      case 'model_call_requested':
        request(`model call ${event.step}`, event.seq);
        break;
      case 'model_responded': {
        const call = resolve(`model call ${event.step}`, event.seq);
        if (call.requests.length === 0)
          report(2, `model call ${event.step} was answered without a claim`, event.seq);
        for (const index of event.calls.keys()) asked.add(`${event.step}.${index}`);
        break;
      }
      case 'tool_call_requested': {
        const call = request(`call ${event.callId}`, event.seq);
        if (event.effect === 'once' && !call.released) {
          report(5, `the once call ${event.callId} is sent again without a person's word`, ...call.requests);
        }
        call.released = false;
        break;
      }
      case 'tool_call_failed':
        if (event.outcome === 'failed') of(`call ${event.callId}`).released = true;
        break;
      case 'tool_returned': {
        const call = resolve(`call ${event.callId}`, event.seq);
        if (!asked.has(event.callId)) report(2, `the model never asked for call ${event.callId}`, event.seq);
        const claimed = event.source === 'executed' || event.source === 'reconciled';
        if (claimed && call.requests.length === 0)
          report(2, `call ${event.callId} returned without a claim`, event.seq);
        break;
      }
      case 'interrupted':
        interrupts.set(event.interruptId, event);
        break;
      case 'resumed': {
        const interrupt = interrupts.get(event.interruptId);
        if (event.outcome.decision !== 'retry' || interrupt?.callId === undefined) break;
        const { at = event.at } = event.outcome;
        const tooEarly = interrupt.retryAfter !== undefined && at < interrupt.retryAfter;
        if (tooEarly)
          report(5, `retry of ${interrupt.callId} was accepted before its horizon`, interrupt.seq, event.seq);
        of(`call ${interrupt.callId}`).released = true;
        break;
      }
      case 'cancel_requested':
        cancelled ??= event;
        break;
      case 'run_completed':
      case 'run_failed':
      case 'run_cancelled':
        ended = event;
    }
  }
  return violations;
}

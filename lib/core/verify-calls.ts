import type { Event, EventOf } from './events.ts';
import type { Violation } from './verify.ts';

/** What the log has said of one call so far. */
interface Attempted {
  requests: number[];
  resolved?: number;
  /** Whether, since the last request, something has allowed another one of a `once` call. */
  released: boolean;
}

/** What the log has said so far. */
interface Ledger {
  readonly calls: Map<string, Attempted>;
  readonly interrupts: Map<string, EventOf<'interrupted'>>;
  /** The tool calls that the model has asked for. */
  readonly asked: Set<string>;
  ended?: Event;
  cancelled?: Event;
  report(guarantee: number, message: string, ...events: number[]): void;
}

/**
 * 2. One resolution per call, a claimed one only after its claim. 3. A call with a logged outcome is never claimed again.
 * 5. A `once` effect is sent at most once unless a person said so after the horizon. 8. Nothing is claimed after a cancel,
 * and nothing happens after the end.
 */
export function checkCalls(events: readonly Event[]): Violation[] {
  const violations: Violation[] = [];
  const ledger: Ledger = {
    calls: new Map(),
    interrupts: new Map(),
    asked: new Set(),
    report: (guarantee, message, ...at) => void violations.push({ guarantee, message, events: at }),
  };
  for (const event of events) enter(ledger, event);
  return violations;
}

function enter(ledger: Ledger, event: Event): void {
  if (ledger.ended) {
    ledger.report(8, `${event.type} stands after ${ledger.ended.type}`, ledger.ended.seq, event.seq);
  }
  switch (event.type) {
    case 'model_call_requested':
      request(ledger, modelCall(event), event.seq);
      break;
    case 'tool_call_requested':
      enterToolRequest(ledger, event);
      break;
    case 'model_responded':
      for (const index of event.calls.keys()) ledger.asked.add(`${event.step}.${index}`);
      resolve(ledger, modelCall(event), { seq: event.seq, claimed: true });
      break;
    case 'tool_returned':
      enterResult(ledger, event);
      break;
    case 'tool_call_failed':
      if (event.outcome === 'failed') callOf(ledger, toolCall(event)).released = true;
      break;
    case 'interrupted':
      ledger.interrupts.set(event.interruptId, event);
      break;
    case 'resumed':
      enterResumed(ledger, event);
      break;
    case 'cancel_requested':
      ledger.cancelled ??= event;
      break;
    case 'run_completed':
    case 'run_failed':
    case 'run_cancelled':
      ledger.ended = event;
  }
}

const modelCall = ({ step }: { step: number }) => `model call ${step}`;
const toolCall = ({ callId }: { callId: string }) => `call ${callId}`;

function callOf({ calls }: Ledger, id: string): Attempted {
  const known = calls.get(id) ?? { requests: [], released: true };
  calls.set(id, known);
  return known;
}

function request(ledger: Ledger, id: string, seq: number): Attempted {
  const call = callOf(ledger, id);
  if (ledger.cancelled) ledger.report(8, `${id} is claimed after the cancel`, ledger.cancelled.seq, seq);
  if (call.resolved !== undefined) ledger.report(3, `${id} is claimed after its outcome`, call.resolved, seq);
  call.requests.push(seq);
  return call;
}

function resolve(ledger: Ledger, id: string, { seq, claimed }: { seq: number; claimed: boolean }): void {
  const call = callOf(ledger, id);
  if (call.resolved !== undefined) ledger.report(2, `${id} is resolved twice`, call.resolved, seq);
  if (claimed && call.requests.length === 0) ledger.report(2, `${id} was answered without a claim`, seq);
  call.resolved = seq;
}

function enterToolRequest(ledger: Ledger, event: EventOf<'tool_call_requested'>): void {
  const call = request(ledger, toolCall(event), event.seq);
  if (event.effect === 'once' && !call.released) {
    ledger.report(5, `the once call ${event.callId} is sent again without a person's word`, ...call.requests);
  }
  call.released = false;
}

function enterResult(ledger: Ledger, event: EventOf<'tool_returned'>): void {
  const { callId, seq, source } = event;
  if (!ledger.asked.has(callId)) ledger.report(2, `the model never asked for call ${callId}`, seq);
  resolve(ledger, toolCall(event), { seq, claimed: source === 'executed' || source === 'reconciled' });
}

function enterResumed(ledger: Ledger, event: EventOf<'resumed'>): void {
  const interrupt = ledger.interrupts.get(event.interruptId);
  if (event.outcome.decision !== 'retry' || interrupt?.callId === undefined) return;
  const { at = event.at } = event.outcome;
  if (interrupt.retryAfter !== undefined && at < interrupt.retryAfter) {
    const message = `retry of ${interrupt.callId} was accepted before its horizon`;
    ledger.report(5, message, interrupt.seq, event.seq);
  }
  callOf(ledger, toolCall({ callId: interrupt.callId })).released = true;
}

import { decisionsFor } from './decisions.ts';
import type { Event, EventOf } from './events.ts';
import { canonicalJson, hashJson } from './hash.ts';
import type { Json } from './json.ts';
import { payloadOf } from './payload.ts';
import type { RunFacts, Violation } from './verify.ts';

/**
 * 9. A gated call runs only on an approval of exactly those argument bytes that won its slot, spent once. 13. A decision
 * that was accepted is the outcome of its interrupt, unless the end came first.
 */
export function checkApprovals(facts: RunFacts, events: readonly Event[]): Violation[] {
  const opened = new Map<string, EventOf<'interrupted'>>();
  const closed = new Map<string, EventOf<'resumed'>>();
  for (const event of events) {
    if (event.type === 'interrupted') opened.set(event.interruptId, event);
    if (event.type === 'resumed') closed.set(event.interruptId, event);
  }
  const requests = events.filter((event) => event.type === 'tool_call_requested');
  return [
    ...requests.flatMap((request) => checkRequest(request, opened, facts)),
    ...checkSlots({ opened, closed }, facts),
  ];
}

function checkRequest(
  request: EventOf<'tool_call_requested'>,
  opened: ReadonlyMap<string, EventOf<'interrupted'>>,
  { slots }: RunFacts,
): Violation[] {
  const gates = [...opened.values()].filter(
    (each) => each.reason === 'awaiting_approval' && each.callId === request.callId,
  );
  const gate = gates.at(-1);
  if (!gate && request.approval === undefined) return [];
  const seqs = gate ? [gate.seq, request.seq] : [request.seq];
  const violation = (message: string): Violation[] => [{ guarantee: 9, message, events: seqs }];
  if (!gate || request.approval !== gate.interruptId)
    return violation(`call ${request.callId} rides on an approval of another call`);
  const slot = slots.get(gate.interruptId);
  if (slot?.decision !== 'approve')
    return violation(`call ${request.callId} was sent, but its slot holds ${slot?.decision ?? 'nothing'}`);
  if (slot.argsHash !== gate.argsHash)
    return violation(`the slot of ${gate.interruptId} approves other arguments than were shown`);
  const shown = payloadOf(gate, 'args');
  const sent = payloadOf(request, 'args');
  const same = canonicalJson((shown ?? null) as Json) === canonicalJson((sent ?? null) as Json);
  const hashed = !sent || 'ref' in sent || hashJson(sent.value) === gate.argsHash;
  return same && hashed
    ? []
    : violation(`call ${request.callId} was sent with other arguments than were approved`);
}

function checkSlots(
  {
    opened,
    closed,
  }: { opened: ReadonlyMap<string, EventOf<'interrupted'>>; closed: ReadonlyMap<string, EventOf<'resumed'>> },
  { slots }: RunFacts,
): Violation[] {
  const violations: Violation[] = [];
  for (const [interruptId, { decision, by }] of slots) {
    const outcome = closed.get(interruptId);
    const interrupt = opened.get(interruptId);
    const events = [interrupt?.seq, outcome?.seq].filter((seq) => seq !== undefined);
    if (!interrupt) {
      violations.push({
        guarantee: 13,
        message: `the slot of ${interruptId} was decided, but no such interrupt is in the log`,
        events,
      });
    } else if (outcome && (outcome.outcome.decision !== decision || outcome.by !== by)) {
      const message = `${by} decided ${decision} on ${interruptId}, but the log says ${outcome.outcome.decision} by ${outcome.by}`;
      violations.push({ guarantee: 13, message, events });
    }
  }
  for (const [interruptId, { seq, outcome, by }] of closed) {
    const judged =
      decisionsFor(opened.get(interruptId)?.reason ?? 'timer').length > 0 && by !== 'stepfold:policy';
    if (judged && !slots.has(interruptId)) {
      violations.push({
        guarantee: 13,
        message: `the log says ${outcome.decision} by ${by} on ${interruptId}, but its slot is empty`,
        events: [seq],
      });
    }
  }
  return violations;
}

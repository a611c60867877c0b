import { type Event, isTerminal } from './events.ts';
import type { RunFacts, Violation } from './verify.ts';

/** 6. At rest a run is terminal, or waits for somebody, or has a message, a timer or a `wakeAt`. */
export function checkRest({ header }: RunFacts, events: readonly Event[]): Violation[] {
  const last = events.at(-1);
  if (!last || isTerminal(last.type) || header?.stalled) return [];
  if (!header)
    return [
      { guarantee: 6, message: 'the run has no header row: the sweep cannot see it', events: [last.seq] },
    ];
  const moves = header.status === 'running' || header.status === 'queued';
  if (!moves || header.wakeAt !== undefined) return [];
  return [{ guarantee: 6, message: `the header says ${header.status} without a wakeAt`, events: [last.seq] }];
}

/** 14. Every inbox entry before `closed` is exactly one event, or a duplicate id. */
export function checkInbox({ inbox }: RunFacts, events: readonly Event[]): Violation[] {
  const violations: Violation[] = [];
  const made = new Map<number, number[]>();
  for (const event of events) {
    if ('entry' in event && event.entry !== undefined)
      made.set(event.entry, [...(made.get(event.entry) ?? []), event.seq]);
  }
  const closedAt = inbox.find((entry) => entry.kind === 'closed')?.number;
  const ended = events.some((event) => isTerminal(event.type));
  const read = ended ? (closedAt ?? Number.POSITIVE_INFINITY) : Math.max(-1, ...made.keys()) + 1;
  const seen = new Set<string>();
  for (const entry of inbox) {
    const seqs = made.get(entry.number) ?? [];
    const id = `${entry.kind}:${entry.id}`;
    const duplicate = seen.has(id);
    seen.add(id);
    if (seqs.length > 1)
      violations.push({
        guarantee: 14,
        message: `inbox entry ${entry.number} is several events`,
        events: seqs,
      });
    if (entry.kind !== 'closed' && seqs.length === 0 && entry.number < read && !duplicate) {
      violations.push({
        guarantee: 14,
        message: `inbox entry ${entry.number} (${entry.kind}) is in no event`,
        events: [],
      });
    }
  }
  if (ended && closedAt === undefined) {
    violations.push({ guarantee: 14, message: 'the run has ended, but its inbox is not closed', events: [] });
  }
  return violations;
}

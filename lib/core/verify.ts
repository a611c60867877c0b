import type { SlotContent } from './decisions.ts';
import type { Event } from './events.ts';
import { refsOf } from './payload.ts';
import type { RunState } from './state.ts';
import { checkApprovals } from './verify-approvals.ts';
import { checkBudgets } from './verify-budgets.ts';
import { checkCalls } from './verify-calls.ts';
import { checkInbox, checkRest } from './verify-ends.ts';
import { checkFold, checkLog } from './verify-log.ts';

/** Something that a guarantee forbids, and the seqs of the events that show it. */
export interface Violation {
  guarantee: number;
  message: string;
  events: number[];
}

/** Everything that a place holds about one run. */
export interface RunFacts {
  readonly commits: readonly {
    seq: number;
    hash: string;
    owner: string;
    messageId: string;
    events: readonly Event[];
  }[];
  /** The hash that each commit's events have, by the same rule as `hash`. */
  readonly hashes: readonly string[];
  /** The state as a worker would load it, all entries of its transcript put in place; undefined without a snapshot. */
  readonly resumed: RunState | undefined;
  readonly slots: ReadonlyMap<string, SlotContent & { argsHash?: string }>;
  readonly inbox: readonly { number: number; id: string; kind: string }[];
  readonly header: { status: string; wakeAt?: number; stalled?: unknown } | undefined;
  /** What is wrong with a payload that the log names, by its hash; sound ones are not listed. */
  readonly damaged: ReadonlyMap<string, string>;
  /** How often each idempotency key was applied downstream, where that can be seen. */
  readonly applied?: ReadonlyMap<string, number>;
}

export interface Verdict {
  ok: boolean;
  violations: Violation[];
  notChecked: { guarantee: number; why: string }[];
}

/** Checks the guarantees of the log over everything that is known of one run. */
export function verify(facts: RunFacts): Verdict {
  const events = facts.commits.flatMap((commit) => commit.events);
  const violations = [
    ...checkLog(facts),
    ...checkCalls(events),
    ...checkBudgets(events),
    ...checkDownstream(facts),
    ...checkRest(facts, events),
    ...checkFold(facts),
    ...checkApprovals(facts, events),
    ...checkBlobs(facts, events),
    ...checkInbox(facts, events),
  ];
  const blind = facts.applied
    ? []
    : [{ guarantee: 4, why: 'what the downstream applied cannot be seen from here' }];
  return { ok: violations.length === 0, violations, notChecked: blind };
}

/** 4. Each idempotency key is applied at most once downstream. */
function checkDownstream({ applied }: RunFacts): Violation[] {
  return [...(applied ?? [])]
    .filter(([, times]) => times > 1)
    .map(([key, times]) => ({
      guarantee: 4,
      message: `the downstream applied ${key} ${times} times`,
      events: [],
    }));
}

/** 11. Every blob named exists and matches its hash. */
function checkBlobs({ damaged }: RunFacts, events: readonly Event[]): Violation[] {
  return events.flatMap((event) =>
    refsOf(event)
      .filter((ref) => damaged.has(ref.sha256))
      .map((ref) => ({
        guarantee: 11,
        message: `payload ${ref.sha256} is ${damaged.get(ref.sha256)}`,
        events: [event.seq],
      })),
  );
}

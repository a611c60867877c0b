import type { RunStatus } from '../core/run-status.ts';
import type { RunKey } from './run-key.ts';

/** A line about an open interrupt, for lists. */
export interface InterruptLine {
  readonly interruptId: string;
  readonly reason: string;
  readonly step: number;
  readonly since: string;
  readonly expiresAt?: string;
  readonly callId?: string;
  readonly tool?: string;
  readonly summary?: string;
  readonly risk?: string;
}

/** A run that was set aside, why, and how often it has been tried. */
export interface StallMark {
  readonly code: string;
  readonly cause: string;
  /** Wakes without a commit that led to it; 0 where the cause alone was enough. */
  readonly count: number;
  readonly at: string;
  /** How often the sweep has tried it again. */
  readonly tries: number;
}

/** A run's row for lists and for the sweep. A projection: the log is the truth. */
export interface Header extends RunKey {
  readonly agent: string;
  readonly status: RunStatus;
  /** The seq of the log that this row speaks of. */
  readonly seq: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** When the sweep looks at the run again, in ms since the epoch. */
  readonly wakeAt?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly interrupts: readonly InterruptLine[];
  readonly stalled?: StallMark;
}

/** What a list is narrowed to. `cursor` is what an earlier answer gave. */
export interface HeaderQuery {
  readonly tenant: string;
  readonly agent?: string;
  readonly status?: RunStatus | 'stalled';
  readonly limit: number;
  readonly cursor?: string;
}

/**
 * Header rows. Eventually consistent for lists; never used for a decision about a run.
 *
 * - `put` never overwrites a row of a higher seq; it replaces one of the same or a lower seq, and answers whether it did.
 *   It keeps the first `createdAt`. A put without `stalled` clears the mark.
 * - `moveWakeAt` and `stall` change a row only while it still has the given seq, and answer whether they did.
 * - `list` gives newest `createdAt` first; a bad cursor throws `bad_cursor`. A row with a mark has the status `stalled`,
 *   and no other.
 * - `due` gives rows with `wakeAt` at or before `now`, the longest overdue first.
 */
export interface RunIndex {
  put(header: Header): Promise<boolean>;
  get(run: RunKey): Promise<Header | undefined>;
  list(query: HeaderQuery): Promise<{ headers: Header[]; cursor?: string }>;
  due(now: number, limit: number): Promise<Header[]>;
  moveWakeAt(run: RunKey, seq: number, wakeAt: number | undefined): Promise<boolean>;
  stall(run: RunKey, seq: number, mark: StallMark): Promise<boolean>;
}

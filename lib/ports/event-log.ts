import type { RunKey } from './run-key.ts';

/** One atomic append: events with consecutive seqs, stored as one item under the seq of the first. */
export interface Commit<E = unknown> {
  /** The seq of its first event. */
  readonly seq: number;
  readonly events: readonly E[];
  /** The worker that wrote it, fresh per invocation. */
  readonly owner: string;
  /** The message through which that worker was woken. */
  readonly messageId: string;
  /** SHA-256 of the events: with `owner` it tells one's own write from another's. */
  readonly hash: string;
}

/** The folded control state at one seq; shortens the next load and is never the truth. */
export interface Manifest {
  /** The seq of the last event that is folded in: always the last of a commit. */
  readonly seq: number;
  /** The version of the fold that made it. */
  readonly fold: number;
  readonly state: unknown;
}

/** An outcome that came too late to be an event. */
export interface Evidence {
  readonly callId: string;
  readonly step: number;
  readonly attempt: number;
  readonly owner: string;
  readonly at: string;
  readonly outcome: unknown;
}

/**
 * The append-only log of every run.
 *
 * - `append` succeeds exactly when no commit holds the same seq; it is durable when it returns. Commits of one run are
 *   ordered by seq. Values come back identical.
 * - Every read is strongly consistent: it sees each append that returned before it began.
 * - `putManifest` replaces a manifest of the same or a lower seq, never one of a higher. A missing or damaged manifest is
 *   only a lost shortcut.
 * - Any method may throw `unavailable`; then nobody knows whether a write was applied, and it may be repeated.
 */
export interface EventLog {
  append(run: RunKey, commit: Commit): Promise<'appended' | 'conflict'>;
  /** The newest manifest and every commit after it. `hint` is a seq at which a manifest is known to be; it may be stale. */
  load(run: RunKey, hint?: number): Promise<{ manifest?: Manifest; commits: Commit[] }>;
  /** Whole commits that hold an event with a seq greater than `after`, in order, until they hold `limit` such events. */
  read(run: RunKey, range: { after: number; limit: number }): Promise<Commit[]>;
  putManifest(run: RunKey, manifest: Manifest): Promise<void>;
  /** Keeps evidence beside the log. The same call, attempt and owner again is the same evidence. */
  putEvidence(run: RunKey, evidence: Evidence): Promise<void>;
  /** All evidence of a run, oldest first. */
  evidence(run: RunKey): Promise<Evidence[]>;
}

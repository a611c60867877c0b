import type { RunKey } from './run-key.ts';

/** What the outside put into a run's inbox; `body` is JSON and its meaning belongs to `kind`. */
export interface InboxEntry {
  readonly number: number;
  /** The sender's id: an id counts once among a run's last 100 entries. */
  readonly id: string;
  readonly kind: 'start' | 'message' | 'signal' | 'cancel' | 'child_end' | 'closed';
  readonly at: string;
  readonly body: unknown;
}

/**
 * The second append-only sequence of a run.
 *
 * `append` succeeds exactly when the number is free; whoever wins a number wins. `read` is strongly consistent and gives
 * entries from a number on, in order. Values come back identical. Any method may throw `unavailable`.
 */
export interface Inbox {
  append(run: RunKey, entry: InboxEntry): Promise<'appended' | 'taken'>;
  read(run: RunKey, from: number): Promise<InboxEntry[]>;
}

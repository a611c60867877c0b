import type { Blobs } from './blobs.ts';
import type { Decisions } from './decisions.ts';
import type { EventLog } from './event-log.ts';
import type { Inbox } from './inbox.ts';
import type { Notifier } from './notifier.ts';
import type { RunIndex } from './run-index.ts';
import type { Timers } from './timers.ts';
import type { Wakes } from './wakes.ts';

/** Milliseconds since the epoch. */
export interface Clock {
  now(): number;
  /** Lets real time pass. A world without real time has none, and nobody waits in it. */
  sleep?(ms: number): Promise<void>;
}

/** Fresh ids: letters and digits, sortable by the time they were made, never repeated. `random` is in [0, 1). */
export interface Ids {
  fresh(): string;
  random(): number;
}

/** What this world knows about workers that may be dead. */
interface Fence {
  /** The greatest difference between two workers' clocks that is borne, in ms. */
  readonly margin: number;
  /**
   * Where one process at a time may work: the id of the lock that this process holds and when it took it. Claims of
   * owners that do not begin with the id belong to a process that is proved dead.
   */
  readonly lock?: { readonly id: string; readonly since: number };
}

/** One set of adapters for all ports. */
export interface World {
  readonly log: EventLog;
  readonly index: RunIndex;
  readonly inbox: Inbox;
  readonly decisions: Decisions;
  readonly blobs: Blobs;
  readonly wakes: Wakes;
  readonly timers: Timers;
  readonly notifier: Notifier;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly fence: Fence;
}

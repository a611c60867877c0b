/** `fast` for short tools and bookkeeping, `long` for model calls and slow tools, `settle` for expiries alone. */
export type Lane = 'fast' | 'long' | 'settle';

/** "Look at this run", with hints. Nothing in it is believed: duplicates and strangers are harmless. */
export interface Wake {
  readonly tenant: string;
  readonly runId: string;
  /** The inbox or a decision slot has something new. */
  readonly news?: true;
  /** A seq at which there is a manifest. */
  readonly manifest?: number;
  /** The action to look at first. */
  readonly action?: string;
  /** A watching wake: the steps that it watches. */
  readonly watch?: readonly number[];
  /** Sent by the sweep. */
  readonly swept?: true;
  /** The interrupt whose time has come: on the settle lane its expiry, else a timer. */
  readonly interruptId?: string;
}

/** A wake as it is received. `receives` counts deliveries of this message, this one included. */
export interface Message {
  readonly messageId: string;
  readonly wake: Wake;
  readonly lane: Lane;
  readonly receives: number;
}

/**
 * At-least-once messages: one may come twice, late, or out of order, and comes again until it is acknowledged.
 * `send` has handed the message over when it returns, or throws `unavailable`. Delays are at most 15 minutes.
 */
export interface Wakes {
  send(wake: Wake, options: { lane: Lane; delayMs?: number }): Promise<void>;
}

/** The longest delay that {@link Wakes.send} takes. */
export const MAX_DELAY_MS = 900_000;

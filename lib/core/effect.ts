import { type Duration, milliseconds } from './duration.ts';
import type { EffectKind } from './event-parts.ts';

/** What `lookup.find` may answer; anything else, or a throw, counts as `unknown`. */
export type Found = { found: unknown } | 'not_found' | 'unknown';

/** What `lookup.find` is given beside the key and the arguments. */
export interface FindContext {
  readonly runId: string;
  readonly step: number;
  readonly signal: AbortSignal;
}

/** What a tool declares about repeating it, with its times in ms. */
export interface Effect {
  readonly kind: EffectKind;
  /** How long the downstream honours an idempotency key. */
  readonly window?: number;
  /** How long a request of a dead worker may still land. */
  readonly horizon?: number;
  readonly find?: (key: string, args: unknown, ctx: FindContext) => Found | Promise<Found>;
}

const DEFAULT_HORIZON = '60s';

/** The downstream honours our `Idempotency-Key` for `window`: a dangling call is sent again with the same key. */
export function keyed(options: { window: Duration }): Effect {
  return { kind: 'keyed', window: milliseconds(options.window, '`window` of keyed()') };
}

/**
 * The downstream can be asked by key: a dangling call waits out `horizon`, then asks.
 *
 * @param options.find what became of the call with this key: `{ found: result }`, `'not_found'` or `'unknown'`.
 */
export function lookup<Args = unknown>(options: {
  find: (key: string, args: Args, ctx: FindContext) => Found | Promise<Found>;
  /** @default '60s' */
  horizon?: Duration;
}): Effect {
  const horizon = milliseconds(options.horizon ?? DEFAULT_HORIZON, '`horizon` of lookup()');
  return { kind: 'lookup', horizon, find: options.find as NonNullable<Effect['find']> };
}

/** The downstream can do neither: a dangling call is put before a person. */
export function once(options: { horizon?: Duration } = {}): Effect {
  return { kind: 'once', horizon: milliseconds(options.horizon ?? DEFAULT_HORIZON, '`horizon` of once()') };
}

import * as z from 'zod';
import { StepfoldError } from './errors.ts';
import { type Limits, limitsSchema, type Used } from './event-parts.ts';
import { lostUsage } from './fold.ts';
import { openChildren } from './open-children.ts';
import type { Attempts, RunState } from './state.ts';

/** A limit that was met. */
export interface Exceeded {
  readonly limit: 'steps' | 'tokens' | 'costUsd' | 'wallClock';
  readonly allowed: number;
  readonly used: number;
}

/**
 * The limit that forbids a call now, with what open children may still use counted in; undefined where none does. A
 * further attempt at a call whose step is counted already takes no other.
 */
export function exceeded(state: RunState, call: Attempts, now: number): Exceeded | undefined {
  const used = usedNow(state, now);
  for (const limit of ['steps', 'tokens', 'costUsd', 'wallClock'] as const) {
    if (limit === 'steps' && call.step > 0) continue;
    const allowed = state.limits[limit];
    if (allowed !== undefined && used[limit] >= allowed) return { limit, allowed, used: used[limit] };
  }
  return undefined;
}

/** The limits of a child that is started now: its own, but no more than its share of what its parent has left, depth included. */
export function childLimits(state: RunState, now: number, own: Limits): Limits {
  const used = usedNow(state, now);
  const open = state.turn?.calls.filter((call) => call.phase !== 'done').length ?? 1;
  const limits: Limits = { ...own };
  for (const limit of ['steps', 'tokens', 'costUsd', 'wallClock'] as const) {
    const allowed = state.limits[limit];
    if (allowed === undefined) continue;
    const left = Math.max(0, allowed - used[limit]);
    // Time passes for all at once; of everything else the other open calls, and the parent itself, keep a share.
    const share =
      limit === 'wallClock' ? left : limit === 'costUsd' ? left / (open + 1) : Math.floor(left / (open + 1));
    const most = limit === 'costUsd' ? Math.max(share, 1e-9) : Math.max(1, share);
    limits[limit] = Math.min(own[limit] ?? most, most);
  }
  const { depth } = state.limits;
  return depth === undefined ? limits : lowerLimits(limits, { depth: Math.max(0, depth - 1) });
}

/** Limits of which each is the lower of two; what only one names, holds. */
export function lowerLimits(a: Limits, b: Limits): Limits {
  const limits: Limits = { ...a };
  for (const key of Object.keys(b) as (keyof Limits)[]) {
    const mine = limits[key];
    const other = b[key];
    if (other !== undefined) limits[key] = mine === undefined ? other : Math.min(mine, other);
  }
  return limits;
}

/**
 * Refuses limits that are none: negative ones, fractions, what is not a number.
 *
 * @throws StepfoldError `bad_limits`
 */
export function assertLimits(limits: unknown): asserts limits is Limits {
  const { error } = limitsSchema.safeParse(limits);
  if (!error) return;
  throw new StepfoldError(
    'bad_limits',
    `expected limits such as { steps: 20, tokens: 50000, wallClock: 3600000 }, times in ms: ${z.prettifyError(error)}`,
  );
}

/** The limits that are higher than those that hold. */
export function limitsAbove(wanted: Limits, most: Limits): (keyof Limits)[] {
  return (Object.keys(wanted) as (keyof Limits)[]).filter(
    (key) => (wanted[key] ?? 0) > (most[key] ?? Number.POSITIVE_INFINITY),
  );
}

/** What a run has used so far, for its parent to book. */
export function usedBy(state: RunState): Used {
  const { steps, tokens, costUsd } = state.spent;
  return { steps, tokens, ...(state.usage.costUsd !== undefined && { costUsd }) };
}

function usedNow(state: RunState, now: number) {
  const { steps, tokens, costUsd, since } = state.spent;
  const reserved = openChildren(state).map((child) => child.limits ?? {});
  const sum = (limit: 'steps' | 'tokens' | 'costUsd') =>
    reserved.reduce((total, each) => total + (each[limit] ?? 0), 0);
  // What a lost attempt is booked with counts before another is begun.
  const lost = state.model.phase === 'claimed' ? lostUsage(state.model) : undefined;
  return {
    steps: steps + sum('steps'),
    tokens: tokens + sum('tokens') + (lost?.inputTokens ?? 0),
    costUsd: costUsd + sum('costUsd') + (lost?.costUsd ?? 0),
    wallClock: since === '' ? 0 : now - Date.parse(since),
  };
}

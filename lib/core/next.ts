import { openChildren } from './open-children.ts';
import type { RunStatus } from './run-status.ts';
import { type Attempts, isEnded, type RunState, type ToolCall } from './state.ts';

/** The key of the model call among a run's actions; a tool call's key is its call id. */
export const MODEL = 'model';

/** The time, and what is known about workers that may be dead. */
export interface Surroundings {
  /** ms since the epoch */
  readonly now: number;
  /** The greatest clock difference that is borne, in ms. */
  readonly margin: number;
  /** Claims of owners that do not begin with this id belong to a process that is proved dead since `since`. */
  readonly lock?: { readonly id: string; readonly since: number } | undefined;
}

/** Interrupts that concern the run as a whole: nothing new is begun while one of them is open. */
const BLOCKING: ReadonlySet<string> = new Set(['budget_exceeded', 'version_mismatch', 'provider_blocked']);

/** The actions that a worker may take now: the model call, or tool calls by their ids. */
export function runnable(state: RunState, around: Surroundings): string[] {
  const due = candidates(state).filter(({ call }) => dueAt(call, around) <= around.now);
  // A cancelled run asks last, when nothing else can change any more.
  if (state.cancel)
    return inFlight(state, around) ? [] : due.filter(({ call }) => mayAsk(call)).map(({ key }) => key);
  if (isBlocked(state)) return [];
  return due.slice(0, freePlaces(state, around)).map(({ key }) => key);
}

/** What becomes runnable by the mere passing of time: claims' deadlines, horizons and retry times. */
export function pendingTimes(
  state: RunState,
  around: Surroundings,
): { key: string; at: number; claimed: boolean }[] {
  return candidates(state).flatMap(({ key, call }) => {
    const at = dueAt(call, around);
    const waits = at > around.now && Number.isFinite(at);
    if (!waits || ((state.cancel || isBlocked(state)) && call.phase === 'retry')) return [];
    return [{ key, at, claimed: call.phase === 'claimed' }];
  });
}

function candidates(state: RunState): { key: string; call: Attempts }[] {
  if (state.status !== 'running') return [];
  if (state.turn) return state.turn.calls.map((call) => ({ key: call.callId, call }));
  return [{ key: MODEL, call: state.model }];
}

/** Whether an interrupt is open that concerns the run as a whole. */
export function isBlocked(state: RunState): boolean {
  return state.interrupts.some((each) => isBlocking(each.reason));
}

export function isBlocking(reason: string): boolean {
  return BLOCKING.has(reason);
}

/** A dangling call that the downstream can be asked about: all that a cancelled run still does. */
function mayAsk(call: Attempts): boolean {
  return isLookup(call) && (call.phase === 'claimed' || call.phase === 'unknown');
}

/** How many more calls may be in flight; one that waits for a child run is. */
function freePlaces(state: RunState, around: Surroundings): number {
  const { parallelCalls } = state.limits;
  if (parallelCalls === undefined || !state.turn) return Number.POSITIVE_INFINITY;
  const taken = state.turn.calls.filter((call) => call.phase === 'claimed' && !isDangling(call, around));
  return Math.max(0, parallelCalls - taken.length - openChildren(state).length);
}

/** Whether child runs take every place that calls in flight may have. */
function hasOnlyChildren(state: RunState): boolean {
  return openChildren(state).length >= (state.limits.parallelCalls ?? Number.POSITIVE_INFINITY);
}

/** Whether a worker is at work on a call. */
function inFlight(state: RunState, around: Surroundings): boolean {
  return candidates(state).some(({ call }) => call.phase === 'claimed' && !isDangling(call, around));
}

const EPOCH = '1970-01-01T00:00:00.000Z';

/** When an action may be taken: now or earlier, at a time to come, or never as things stand. */
function dueAt(call: Attempts, around: Surroundings): number {
  switch (call.phase) {
    case 'ready':
      return 0;
    case 'retry':
      return Date.parse(call.retryAt ?? '');
    case 'claimed':
    case 'unknown':
      return Math.max(lostAt(call, around) + waitsFor(call), Date.parse(call.retryAt ?? EPOCH));
    default:
      return Number.POSITIVE_INFINITY;
  }
}

function waitsFor(call: Attempts): number {
  return isLookup(call) ? (call.horizon ?? 0) : 0;
}

function isLookup(call: Attempts): call is ToolCall {
  return (call as Partial<ToolCall>).effect === 'lookup';
}

/** Whether the outcome of a call that was claimed is not known, and nobody is left who would tell it. */
export function isDangling(call: Attempts, around: Surroundings): boolean {
  return (call.phase === 'claimed' || call.phase === 'unknown') && lostAt(call, around) <= around.now;
}

/** Whether a call's worker died together with its whole process. */
export function diedWithProcess(call: Attempts, around: Surroundings): boolean {
  return (
    call.phase === 'claimed' &&
    around.lock !== undefined &&
    !call.claim?.owner.startsWith(`${around.lock.id}.`)
  );
}

/**
 * From when on a claimed call is dangling, and its horizon counts. Under a lock a stranger's claim is dangling since the
 * lock was taken. Otherwise it is left alone until its deadline; where an early look could do harm (`lookup`, `once`),
 * the margin between clocks is added, and after an unknown outcome the same.
 */
export function lostAt(call: Attempts, around: Surroundings): number {
  const { effect } = call as Partial<ToolCall>;
  const margin = effect === 'lookup' || effect === 'once' ? around.margin : 0;
  if (call.phase === 'unknown') return Date.parse(call.unknownAt ?? '') + (effect === 'lookup' ? margin : 0);
  if (diedWithProcess(call, around)) return around.lock?.since ?? 0;
  return Date.parse(call.claim?.deadline ?? '') + margin;
}

/** The tool calls of a cancelled run that are still to be asked about. */
function toBeAsked(state: RunState, asked: { has(key: string): boolean }): string[] {
  return candidates(state).flatMap(({ key, call }) => (mayAsk(call) && !asked.has(key) ? [key] : []));
}

/**
 * How the run must end, if it must, once its inbox is closed. A cancelled run ends when no call is in flight any more and
 * every dangling call that can be asked about has been.
 */
export function ending(
  state: RunState,
  around: Surroundings,
  asked: { has(key: string): boolean },
): 'completed' | 'cancelled' | undefined {
  if (state.status !== 'running') return undefined;
  if (!state.cancel) return state.final ? 'completed' : undefined;
  return inFlight(state, around) || toBeAsked(state, asked).length > 0 ? undefined : 'cancelled';
}

/** The calls whose outcome nobody knows when the run is cancelled. */
export function unresolvedCalls(state: RunState, settled: ReadonlySet<string>): string[] {
  const doubted = new Set(
    state.interrupts.flatMap((each) => (each.reason === 'in_doubt' ? [each.callId] : [])),
  );
  const open = (call: ToolCall) =>
    call.phase === 'claimed' || call.phase === 'unknown' || call.retried === true || doubted.has(call.callId);
  return (state.turn?.calls ?? [])
    .filter((call) => open(call) && !settled.has(call.callId))
    .map((call) => call.callId);
}

/**
 * A run is paused when an interrupt is open and nothing is runnable, in flight or waiting to be retried; while a cancel is
 * carried out it is running. Without `around` a call whose worker may be dead counts as in flight.
 */
export function statusOf(state: RunState, around?: Surroundings): RunStatus {
  if (state.status === 'new') return 'queued';
  if (isEnded(state)) return state.status as RunStatus;
  if (state.interrupts.length === 0 || state.cancel) return 'running';
  const still = new Set(['paused', 'done']);
  if (isBlocked(state) || hasOnlyChildren(state)) still.add('ready');
  if (isBlocked(state)) still.add('retry').add('unknown');
  const rests = (call: Attempts) =>
    still.has(call.phase) || (isBlocked(state) && around !== undefined && isDangling(call, around));
  return candidates(state).every(({ call }) => rests(call)) ? 'paused' : 'running';
}

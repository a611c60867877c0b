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

/** The actions that a worker may take now: the model call, or tool calls by their ids. */
export function runnable(state: RunState, around: Surroundings): string[] {
  return candidates(state)
    .filter(({ call }) => dueAt(call, around) <= around.now)
    .map(({ key }) => key);
}

/** What becomes runnable by the mere passing of time: claims' deadlines, horizons and retry times. */
export function pendingTimes(
  state: RunState,
  around: Surroundings,
): { key: string; at: number; claimed: boolean }[] {
  return candidates(state).flatMap(({ key, call }) => {
    const at = dueAt(call, around);
    return at > around.now && Number.isFinite(at) ? [{ key, at, claimed: call.phase === 'claimed' }] : [];
  });
}

function candidates(state: RunState): { key: string; call: Attempts }[] {
  if (state.status !== 'running' || state.cancel) return [];
  if (state.turn) return state.turn.calls.map((call) => ({ key: call.callId, call }));
  return [{ key: MODEL, call: state.model }];
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

/** How the run must end, if it must, once its inbox is closed. */
export function ending(state: RunState): 'completed' | 'failed' | undefined {
  if (state.status !== 'running') return undefined;
  if (state.final) return 'completed';
  return state.model.failure ? 'failed' : undefined;
}

/** A run is paused when an interrupt is open and nothing is runnable, in flight or waiting to be retried. */
export function statusOf(state: RunState): RunStatus {
  if (state.status === 'new') return 'queued';
  if (isEnded(state)) return state.status as RunStatus;
  const moving = candidates(state).some(({ call }) => call.phase !== 'paused' && call.phase !== 'done');
  return state.interrupts.length > 0 && !moving ? 'paused' : 'running';
}

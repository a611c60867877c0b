import { resultOf } from './entries-of-place.ts';
import type { EffectKind } from './event-parts.ts';
import type { EventOf } from './events.ts';
import { payloadOf } from './payload.ts';
import type { RunState, ToolCall } from './state.ts';
import { addEntries, type EntryResult } from './transcript.ts';

/** Folds what happens to one tool call; the last result of a turn makes the next model call ready. */
export function applyToolEvent(
  state: RunState,
  event: EventOf<'tool_call_requested'> | EventOf<'tool_returned'> | EventOf<'tool_call_failed'>,
): void {
  const call = openCall(state, event.callId);
  if (!call) return;
  if (event.type === 'tool_call_requested') {
    applyRequested(state, call, event);
    return;
  }
  delete call.claim;
  if (event.type === 'tool_call_failed') {
    applyFailed(call, event);
    return;
  }
  call.phase = 'done';
  call.result = resultOf(event);
  if (state.turn?.calls.every((each) => each.phase === 'done')) closeTurn(state);
}

/** A refusal says nothing of the attempts before it: while one of them may have landed, the outcome stays unknown. */
function applyFailed(call: ToolCall, event: EventOf<'tool_call_failed'>): void {
  if (event.outcome === 'unknown') call.mayHaveLanded = true;
  const { at, retryAt } = event;
  if (call.mayHaveLanded)
    Object.assign(call, { phase: 'unknown', unknownAt: at, ...(retryAt && { retryAt }) });
  else Object.assign(call, { phase: 'retry', retryAt: retryAt ?? at });
}

/** A call of the open turn. */
export function openCall(state: RunState, callId: string): ToolCall | undefined {
  return state.turn?.calls.find((call) => call.callId === callId);
}

function applyRequested(state: RunState, call: ToolCall, event: EventOf<'tool_call_requested'>): void {
  const args = payloadOf(event, 'args');
  state.usage.toolCalls++;
  if (call.step !== event.step) state.spent.steps++;
  const landed = landedBefore(call, event.effect);
  delete call.unknownAt;
  delete call.retryAt;
  delete call.retried;
  delete call.mayHaveLanded;
  Object.assign(call, {
    phase: 'claimed',
    step: event.step,
    attempt: event.attempt,
    crashes: event.crashes ?? 0,
    claim: event.claim,
    effect: event.effect,
    firstClaimAt: call.firstClaimAt ?? event.at,
    lastClaimAt: event.at,
    ...(args && { args }),
    ...(event.window !== undefined && { window: event.window }),
    ...(event.horizon !== undefined && { horizon: event.horizon }),
    ...(landed && { mayHaveLanded: true }),
  });
}

/**
 * Whether an attempt before the next one may have had its effect. Only `keyed` calls are sent again without knowing: a
 * `lookup` was asked about first, and a person has looked after a `once`.
 */
export function landedBefore(call: ToolCall, effect: EffectKind): boolean {
  const open = call.phase === 'claimed' || call.phase === 'unknown';
  return effect === 'keyed' && (call.mayHaveLanded === true || open);
}

/** The response and all its results enter the transcript together, in the order of the calls. */
function closeTurn(state: RunState): void {
  const turn = state.turn;
  if (!turn) return;
  const results = turn.calls.flatMap(({ toolCallId, name, result }): EntryResult[] =>
    result ? [{ ...result, toolCallId, name }] : [],
  );
  addEntries(state.transcript, turn.response, { role: 'tool', results });
  delete state.turn;
  readyModel(state);
}

/** The model is next. Messages that waited stand before its request. */
export function readyModel(state: RunState): void {
  addEntries(state.transcript, ...state.waiting);
  state.waiting = [];
  state.model = { phase: 'ready', step: 0, attempt: 0, crashes: 0 };
}

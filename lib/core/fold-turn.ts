import { resultOf } from './entries-of-place.ts';
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
    if (event.outcome === 'unknown') {
      Object.assign(call, {
        phase: 'unknown',
        unknownAt: event.at,
        ...(event.retryAt && { retryAt: event.retryAt }),
      });
    } else Object.assign(call, { phase: 'retry', retryAt: event.retryAt ?? event.at });
    return;
  }
  call.phase = 'done';
  call.result = resultOf(event);
  if (state.turn?.calls.every((each) => each.phase === 'done')) closeTurn(state);
}

/** A call of the open turn. */
export function openCall(state: RunState, callId: string): ToolCall | undefined {
  return state.turn?.calls.find((call) => call.callId === callId);
}

function applyRequested(state: RunState, call: ToolCall, event: EventOf<'tool_call_requested'>): void {
  const args = payloadOf(event, 'args');
  state.usage.toolCalls++;
  if (call.step !== event.step) state.spent.steps++;
  delete call.unknownAt;
  delete call.retryAt;
  delete call.retried;
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
  });
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

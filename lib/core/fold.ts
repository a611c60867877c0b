import { baseEntry, responseEntry, userEntry } from './entries-of-place.ts';
import type { TokenUsage } from './event-parts.ts';
import type { Event, EventOf } from './events.ts';
import { applyInterrupted, applyResumed } from './fold-interrupts.ts';
import { applyToolEvent, readyModel } from './fold-turn.ts';
import { payloadOf } from './payload.ts';
import { emptyState, type RunState } from './state.ts';
import { addEntries, emptyTranscript } from './transcript.ts';

/**
 * The state that a log says. Pure: the given state is left as it was, and equal logs give equal states, from whatever
 * snapshot the fold begins.
 */
export function fold(events: readonly Event[], from: RunState = emptyState()): RunState {
  const state = ownCopy(from);
  for (const event of events) apply(state, event);
  return state;
}

const THROUGH_KEPT = 16;

/** Folds one commit, and notes through which message it was made. */
export function foldCommit(
  from: RunState,
  commit: { readonly events: readonly Event[]; readonly messageId: string },
): RunState {
  const state = fold(commit.events, from);
  const { messageId } = commit;
  if (state.through.at(-1) !== messageId) state.through = [...state.through, messageId].slice(-THROUGH_KEPT);
  return state;
}

/** A copy whose parts may be changed in place; entries and payloads are shared, since nobody changes those. */
function ownCopy(state: RunState): RunState {
  return {
    ...state,
    usage: { ...state.usage },
    spent: { ...state.spent },
    inbox: { next: state.inbox.next, ids: [...state.inbox.ids] },
    model: { ...state.model },
    ...(state.turn && { turn: { ...state.turn, calls: state.turn.calls.map((call) => ({ ...call })) } }),
    interrupts: [...state.interrupts],
    waiting: [...state.waiting],
    signals: [...state.signals],
    transcript: { ...state.transcript, tail: [...state.transcript.tail] },
    values: [...state.values],
  };
}

function apply(state: RunState, event: Event): void {
  state.head = event.seq;
  state.updatedAt = event.at;
  state.step = Math.max(state.step, event.step);
  if ('entry' in event && event.entry !== undefined) noteEntry(state, event);
  switch (event.type) {
    case 'run_started':
      applyStarted(state, event);
      return;
    case 'model_call_requested':
      applyModelRequested(state, event);
      return;
    case 'model_responded':
      applyModelResponded(state, event);
      return;
    case 'model_call_failed':
      applyModelFailed(state, event);
      return;
    case 'tool_call_requested':
    case 'tool_returned':
    case 'tool_call_failed':
      applyToolEvent(state, event);
      return;
    case 'interrupted':
      applyInterrupted(state, event);
      return;
    case 'resumed':
      applyResumed(state, event);
      return;
    case 'state_patched':
      state.values = state.values.filter((entry) => entry.key !== event.key);
      state.values.push({ key: event.key, value: payloadOf(event, 'value') ?? { value: null } });
      return;
    case 'message_received':
      applyMessage(state, event);
      return;
    case 'signal_received':
      state.signals.push({ name: event.name, payload: payloadOf(event, 'payload') ?? { value: null } });
      return;
    case 'version_migrated':
      applyMigrated(state, event);
      return;
    case 'cancel_requested':
      // Who comes first has cancelled the run.
      state.cancel ??= {
        by: event.by,
        at: event.at,
        ...(event.reason !== undefined && { reason: event.reason }),
      };
      return;
    case 'run_completed':
      state.status = 'completed';
      state.output = payloadOf(event, 'output') ?? { value: null };
      return;
    case 'run_failed':
      state.status = 'failed';
      state.error = event.error;
      return;
    case 'run_cancelled':
      state.status = 'cancelled';
      state.unresolved = event.unresolved;
      state.interrupts = [];
  }
}

const IDS_KEPT = 100;

function noteEntry(state: RunState, event: Event & { entry?: number | undefined }): void {
  state.inbox.next = Math.max(state.inbox.next, (event.entry ?? -1) + 1);
  const id = idOf(event);
  if (id !== undefined) state.inbox.ids = [...state.inbox.ids, id].slice(-IDS_KEPT);
}

/** The sender's id of an entry, with its kind: ids of different kinds do not meet. */
function idOf(event: Event): string | undefined {
  if (event.type === 'message_received') return `message:${event.messageId}`;
  if (event.type === 'signal_received') return `signal:${event.signalId}`;
  if (event.type === 'cancel_requested') return `cancel:${event.by}`;
  return event.type === 'resumed' ? `child_end:${event.interruptId}` : undefined;
}

function applyStarted(state: RunState, event: EventOf<'run_started'>): void {
  const message = userEntry(event, 'input');
  Object.assign(state, {
    status: 'running',
    agent: event.agent,
    revision: event.revision,
    promptHash: event.promptHash,
    labels: event.labels ?? {},
    limits: event.limits ?? {},
    ...(event.parent && { parent: event.parent }),
    spent: { steps: 0, tokens: 0, costUsd: 0, since: event.at },
    input: message.content,
    startedAt: event.at,
  });
  addEntries(state.transcript, message);
  readyModel(state);
}

function applyModelRequested(state: RunState, event: EventOf<'model_call_requested'>): void {
  const { model } = state;
  state.usage.modelCalls++;
  if (model.step !== event.step) state.spent.steps++;
  if (model.phase === 'claimed') spend(state, lostUsage(model));
  state.model = {
    phase: 'claimed',
    step: event.step,
    attempt: event.attempt,
    crashes: event.crashes ?? 0,
    claim: event.claim,
    requestHash: event.requestHash,
    ...(event.estimatedTokens !== undefined && { estimatedTokens: event.estimatedTokens }),
    ...(event.estimatedCostUsd !== undefined && { estimatedCostUsd: event.estimatedCostUsd }),
  };
}

/** An attempt whose outcome is lost counts as what it was expected to cost, since the provider may bill it. */
export function lostUsage({ estimatedTokens = 0, estimatedCostUsd }: RunState['model']): TokenUsage {
  return {
    inputTokens: estimatedTokens,
    outputTokens: 0,
    cachedInputTokens: 0,
    ...(estimatedCostUsd !== undefined && { costUsd: estimatedCostUsd }),
  };
}

function applyModelResponded(state: RunState, event: EventOf<'model_responded'>): void {
  spend(state, event.usage);
  state.model = { phase: 'done', step: event.step, attempt: state.model.attempt, crashes: 0 };
  const response = responseEntry(event);
  if (event.calls.length > 0) {
    state.misfits = event.finishReason.unified === 'length' ? state.misfits + 1 : 0;
    const calls = event.calls.map((call, index) => ({
      ...call,
      callId: `${event.step}.${index}`,
      index,
      phase: 'ready' as const,
      step: 0,
      attempt: 0,
      crashes: 0,
    }));
    state.turn = { step: event.step, response, calls };
    return;
  }
  addEntries(state.transcript, response);
  if (state.waiting.length > 0) readyModel(state);
  else state.final = response.completion;
}

function applyModelFailed(state: RunState, event: EventOf<'model_call_failed'>): void {
  const { claim: _, ...model } = state.model;
  if (event.usage) spend(state, event.usage);
  state.model =
    event.retryAt === undefined
      ? { ...model, phase: 'paused' }
      : { ...model, phase: 'retry', retryAt: event.retryAt };
}

/** Books tokens and money, for people to see and against the limits. */
function spend(state: RunState, used: Partial<TokenUsage>): void {
  const { inputTokens = 0, outputTokens = 0, cachedInputTokens = 0, costUsd } = used;
  state.usage.inputTokens += inputTokens;
  state.usage.outputTokens += outputTokens;
  state.usage.cachedInputTokens += cachedInputTokens;
  state.spent.tokens += inputTokens + outputTokens;
  if (costUsd === undefined) return;
  state.usage.costUsd = (state.usage.costUsd ?? 0) + costUsd;
  state.spent.costUsd += costUsd;
}

/** A message that comes after a model request stands after that request's response and all its results. */
function applyMessage(state: RunState, event: EventOf<'message_received'>): void {
  state.waiting.push(userEntry(event, 'content'));
  if (event.final) state.closing = true;
  // Only the runtime's own words about an answer come without an entry of the inbox.
  state.misfits = event.entry === undefined ? state.misfits + 1 : 0;
  const modelIsNext = state.model.phase === 'ready' && state.model.attempt === 0;
  if (!state.turn && (modelIsNext || state.final)) {
    delete state.final;
    readyModel(state);
  }
}

function applyMigrated(state: RunState, event: EventOf<'version_migrated'>): void {
  state.revision = event.to;
  state.promptHash = event.promptHash;
  state.transcript = emptyTranscript();
  addEntries(state.transcript, baseEntry(event));
  state.values = [];
  // A call that was asked before may be asked again, but not with the same words.
  delete state.model.requestHash;
  if (!state.turn && !state.final && state.model.phase !== 'claimed') readyModel(state);
}

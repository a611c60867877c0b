import type { EventOf } from './events.ts';
import { openCall } from './fold-turn.ts';
import { payloadOf } from './payload.ts';
import type { OpenInterrupt, RunState } from './state.ts';

/** Opens an interrupt. One about a call ends that call's claim: a late result of its worker is evidence, no more. */
export function applyInterrupted(state: RunState, event: EventOf<'interrupted'>): void {
  state.interrupts.push(openInterrupt(event));
  const call = event.callId === undefined ? undefined : openCall(state, event.callId);
  if (!call) return;
  delete call.claim;
  call.phase = 'paused';
  const args = payloadOf(event, 'args');
  if (args) call.args = args;
}

function openInterrupt(event: EventOf<'interrupted'>): OpenInterrupt {
  const {
    v: _v,
    type: _type,
    at,
    args: _args,
    argsRef: _argsRef,
    schema: _schema,
    schemaRef: _schemaRef,
    ...rest
  } = event;
  const { facts: _facts, factsRef: _factsRef, ...shown } = rest;
  const args = payloadOf(event, 'args');
  const facts = payloadOf(event, 'facts');
  // The schema of arguments is for pages; the schema of an answer is needed to judge it.
  const schema = event.reason === 'awaiting_input' ? payloadOf(event, 'schema') : undefined;
  return {
    ...shown,
    since: at,
    ...(args && { args }),
    ...(schema && { schema }),
    ...(facts && { facts }),
  } as OpenInterrupt;
}

/** Closes an interrupt. What the decision answers by itself comes as `tool_returned` in the same commit. */
export function applyResumed(state: RunState, event: EventOf<'resumed'>): void {
  const interrupt = state.interrupts.find((each) => each.interruptId === event.interruptId);
  if (!interrupt) return;
  state.interrupts = state.interrupts.filter((each) => each !== interrupt);
  const { decision } = event.outcome;
  switch (interrupt.reason) {
    case 'awaiting_approval':
    case 'in_doubt':
      releaseCall(state, interrupt, decision);
      return;
    case 'awaiting_signal':
      takeSignal(state, interrupt, decision);
      return;
    case 'awaiting_message':
      state.spent = { steps: 0, tokens: 0, costUsd: 0, since: event.at };
      return;
    case 'awaiting_child':
      bookChild(state, event);
      return;
    case 'budget_exceeded':
    case 'provider_blocked':
    case 'version_mismatch':
      resumeRun(state, interrupt, event);
      return;
    default:
  }
}

function releaseCall(
  state: RunState,
  { callId, interruptId, argsHash }: OpenInterrupt,
  decision: string,
): void {
  const call = callId === undefined ? undefined : openCall(state, callId);
  if (!call) return;
  if (decision === 'approve' && argsHash !== undefined) {
    call.phase = 'ready';
    call.approval = { interruptId, argsHash };
  }
  if (decision === 'retry') {
    call.phase = 'ready';
    call.retried = true;
  }
}

/** The oldest signal of the name is spent by the wait that it ends; one that lost to a timeout is kept for the next wait. */
function takeSignal(state: RunState, { name }: OpenInterrupt, decision: string): void {
  if (decision !== 'signal') return;
  const index = state.signals.findIndex((signal) => signal.name === name);
  state.signals = state.signals.toSpliced(index, index < 0 ? 0 : 1);
}

/** What a child has used counts against its parent's limits. */
function bookChild(state: RunState, { outcome }: EventOf<'resumed'>): void {
  const used = outcome.used;
  if (!used) return;
  state.spent = {
    ...state.spent,
    steps: state.spent.steps + used.steps,
    tokens: state.spent.tokens + used.tokens,
    costUsd: state.spent.costUsd + (used.costUsd ?? 0),
  };
}

/** A person let the whole run go on: with other limits, other code, or one more round of attempts. */
function resumeRun(state: RunState, { reason }: OpenInterrupt, { outcome }: EventOf<'resumed'>): void {
  if (outcome.limits) state.limits = { ...state.limits, ...outcome.limits };
  if (outcome.accepted) Object.assign(state, outcome.accepted);
  if (reason !== 'provider_blocked') return;
  const { model } = state;
  state.model = { ...model, phase: 'ready', crashes: model.attempt };
}

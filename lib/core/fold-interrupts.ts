import type { EventOf } from './events.ts';
import { openCall } from './fold-turn.ts';
import { payloadOf } from './payload.ts';
import type { OpenInterrupt, RunState } from './state.ts';

/** Opens an interrupt. One about a call ends that call's claim: a late result of its worker is evidence, no more. */
export function applyInterrupted(state: RunState, event: EventOf<'interrupted'>): void {
  const { v: _v, type: _type, at, argsRef: _ref, schema: _schema, schemaRef: _schemaRef, ...rest } = event;
  const args = payloadOf(event, 'args');
  const { args: _args, ...shown } = rest;
  state.interrupts.push({ ...shown, since: at, ...(args && { args }) } as OpenInterrupt);
  const call = event.callId === undefined ? undefined : openCall(state, event.callId);
  if (!call) return;
  delete call.claim;
  call.phase = 'paused';
  if (args) call.args = args;
}

/** Closes an interrupt. What the decision answers by itself comes as `tool_returned` in the same commit. */
export function applyResumed(state: RunState, event: EventOf<'resumed'>): void {
  const interrupt = state.interrupts.find((each) => each.interruptId === event.interruptId);
  if (!interrupt) return;
  state.interrupts = state.interrupts.filter((each) => each !== interrupt);
  const call = interrupt.callId === undefined ? undefined : openCall(state, interrupt.callId);
  if (!call) return;
  if (event.outcome.decision === 'approve' && interrupt.argsHash !== undefined) {
    call.phase = 'ready';
    call.approval = { interruptId: interrupt.interruptId, argsHash: interrupt.argsHash };
  }
  if (event.outcome.decision === 'retry') {
    call.phase = 'ready';
    call.retried = true;
  }
}

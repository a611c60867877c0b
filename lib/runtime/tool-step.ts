import type { Agent } from '../agent.ts';
import type { LoggedError } from '../core/event-parts.ts';
import type { Draft } from '../core/events.ts';
import type { Json } from '../core/json.ts';
import { isDangling } from '../core/next.ts';
import { type AttemptTerms, remedyAfterNotFound, remedyOf } from '../core/reconcile.ts';
import type { ToolCall } from '../core/state.ts';
import type { Tool } from '../tool.ts';
import { askApproval, needsApproval } from './approval.ts';
import { argumentsOf } from './arguments-of.ts';
import { type AskAnswer, askDownstream } from './ask-downstream.ts';
import { deadlineOf } from './claim.ts';
import { commitOutcome } from './commit-outcome.ts';
import { doubt, interrupt } from './interrupt.ts';
import { pauseDraft } from './pause.ts';
import { sendCall } from './send-call.ts';
import { instant, surroundings } from './surroundings.ts';
import { commit, type Visit } from './visit.ts';

/** Takes one tool call on: sends it, waits for what it waits for, asks about it, puts it before a person, or gives it up. */
export async function toolStep(visit: Visit, agent: Agent, key: string): Promise<void> {
  const call = visit.state.turn?.calls.find((each) => each.callId === key);
  if (!call) return;
  const tool = agent.tools.find((each) => each.name === call.name);
  // It may have happened, and the code that could tell is gone.
  if (!tool && call.effect !== 'read' && isDangling(call, surroundings(visit.rt))) return doubt(visit, call);
  const parsed = await argumentsOf(visit, agent, call);
  if (!tool || 'error' in parsed)
    return refuse(visit, call, 'error' in parsed ? parsed.error : goneTool(call));
  const { args } = parsed;
  const attempts = tool.attempts;
  const terms = { ...surroundings(visit.rt), attempts, deadline: deadlineOf(visit, tool.timeoutMs) };
  const remedy = remedyOf(call, terms);
  if (remedy === 'doubt') return doubt(visit, call);
  if (remedy === 'give_up') return resolveDangling(visit, call, givenUp(call));
  if (remedy === 'ask' && (await ask(visit, { call, tool, args, terms }))) return;
  if (tool.pause) {
    const draft = pauseDraft(visit, { tool, pause: tool.pause, call, args });
    return 'error' in draft && !('type' in draft)
      ? refuse(visit, call, draft.error)
      : interrupt(visit, call, draft as Draft);
  }
  if (await needsApproval(tool, call, args))
    return interrupt(visit, call, askApproval(visit, { tool, call, args }));
  await sendCall(visit, { call, tool, args, terms });
}

/** Asks the downstream about a call that was cut off. True when nothing is to be sent. */
async function ask(
  visit: Visit,
  { call, tool, args, terms }: { call: ToolCall; tool: Tool; args: Json; terms: AttemptTerms },
): Promise<boolean> {
  const answer = await askDownstream(visit, tool, call, args);
  if (visit.state.cancel && answer.kind !== 'found') {
    visit.asked.set(call.callId, answer.kind);
    return true;
  }
  if (answer.kind !== 'not_found') {
    await settleAsked(visit, call, answer);
    return true;
  }
  if (remedyAfterNotFound(call, terms) === 'send') return false;
  await resolveDangling(visit, call, givenUp(call));
  return true;
}

/** What the downstream says, or does not, about a call that was cut off. */
async function settleAsked(
  visit: Visit,
  call: ToolCall,
  answer: Exclude<AskAnswer, { kind: 'not_found' }>,
): Promise<void> {
  if (answer.kind === 'unknown') return doubt(visit, call, answer.error);
  const returned = {
    type: 'tool_returned' as const,
    step: call.step,
    callId: call.callId,
    source: 'reconciled' as const,
  };
  return resolveDangling(visit, call, {
    ...returned,
    ...answer.fields,
    evidence: { askedAt: instant(visit.rt.world.clock.now()) },
  });
}

async function resolveDangling(visit: Visit, call: ToolCall, draft: Draft): Promise<void> {
  const { callId: key, step, attempt } = call;
  await commitOutcome(visit, { key, step, attempt, by: 'dangling', drafts: () => [draft] });
}

function givenUp(call: ToolCall): Draft {
  const message = `the call was cut off ${call.attempt} times and is not tried again`;
  return {
    type: 'tool_returned',
    step: call.step,
    callId: call.callId,
    source: 'executed',
    error: { code: 'attempts_lost', message },
  };
}

/** A call that is refused before anything was claimed. */
async function refuse(visit: Visit, call: ToolCall, error: LoggedError): Promise<void> {
  const step = call.step || (visit.state.turn?.step ?? 0);
  await commit(visit, [{ type: 'tool_returned', step, callId: call.callId, source: 'invalid', error }]);
}

/** Code that was accepted for this run has no such tool any more. */
function goneTool({ name }: ToolCall): LoggedError {
  return { code: 'unknown_tool', message: `There is no tool ${JSON.stringify(name)} any more.` };
}

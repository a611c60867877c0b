import type { Agent } from '../agent.ts';
import { StepfoldError } from '../core/errors.ts';
import type { Draft, EffectKind } from '../core/events.ts';
import type { Json } from '../core/json.ts';
import { type AttemptTerms, crashesOf, remedyAfterNotFound, remedyOf } from '../core/reconcile.ts';
import { retryDelay } from '../core/retry.ts';
import type { ToolCall } from '../core/state.ts';
import type { Tool } from '../tool.ts';
import { askApproval, checkApproval, needsApproval } from './approval.ts';
import { argumentsOf } from './arguments-of.ts';
import { type AskAnswer, askDownstream } from './ask-downstream.ts';
import { attemptFields, claim, deadlineOf, timeLeft } from './claim.ts';
import { commitOutcome } from './commit-outcome.ts';
import { doubt, interrupt } from './interrupt.ts';
import { runTool, type ToolOutcome } from './run-tool.ts';
import { instant, surroundings } from './surroundings.ts';
import { commit, type Visit } from './visit.ts';

/** Takes one tool call on: sends it, asks about it, puts it before a person, or gives it up. */
export async function toolStep(visit: Visit, agent: Agent, key: string): Promise<void> {
  const call = visit.state.turn?.calls.find((each) => each.callId === key);
  if (!call) return;
  const tool = agent.tools.find((each) => each.name === call.name);
  if (!tool)
    throw new StepfoldError('unknown_tool', `expected agent ${agent.name} to have the tool ${call.name}`);
  const parsed = await argumentsOf(visit, agent, call);
  if ('error' in parsed) return resolveUnsent(visit, call, { source: 'invalid', error: parsed.error });
  const { args } = parsed;
  const terms = {
    ...surroundings(visit.rt),
    attempts: tool.attempts,
    deadline: deadlineOf(visit, tool.timeoutMs),
  };
  const remedy = remedyOf(call, terms);
  if (remedy === 'doubt') return doubt(visit, call);
  if (remedy === 'give_up') return resolveDangling(visit, call, givenUp(call));
  if (remedy === 'ask') {
    const answer = await askDownstream(visit, tool, call, args);
    if (answer.kind !== 'not_found') return settleAsked(visit, call, answer);
    if (remedyAfterNotFound(call, terms) === 'give_up') return resolveDangling(visit, call, givenUp(call));
  }
  if (await needsApproval(tool, call, args))
    return interrupt(visit, call, askApproval(visit, { tool, call, args }));
  await send(visit, { call, tool, args, terms });
}

async function send(
  visit: Visit,
  { call, tool, args, terms }: { call: ToolCall; tool: Tool; args: Json; terms: AttemptTerms },
): Promise<void> {
  const { runId } = visit.run;
  await checkApproval(visit, call, args);
  const step = call.step || visit.state.step + 1;
  const idempotencyKey = `${runId}:${step}`;
  const fields = attemptFields(visit, call, tool.timeoutMs);
  const { window, horizon, kind: effect } = tool.effect;
  const requested: Draft = {
    type: 'tool_call_requested',
    step,
    callId: call.callId,
    name: call.name,
    args,
    idempotencyKey,
    effect,
    ...(window !== undefined && { window }),
    ...(horizon !== undefined && { horizon }),
    ...(call.approval && { approval: call.approval.interruptId }),
    ...fields,
  };
  if (!(await claim(visit, call.callId, requested))) return;
  const { attempt } = fields;
  const timeoutMs = Math.min(tool.timeoutMs, timeLeft(visit, tool.timeoutMs));
  const inTime = visit.rt.world.clock.now() < Date.parse(fields.claim.deadline);
  const outcome = inTime
    ? await runTool(visit, { tool, args, step, attempt, idempotencyKey, timeoutMs })
    : LATE;
  const left = attempt - crashesOf(call, terms) < terms.attempts;
  const drafts = draftsOf(visit, { callId: call.callId, step, attempt, effect, left }, outcome);
  await commitOutcome(visit, { key: call.callId, step, attempt, by: 'claim', drafts });
}

/** The worker was held up until its deadline: others may act by now, so it sends nothing. */
const LATE: ToolOutcome = {
  kind: 'failed',
  retryable: true,
  error: { code: 'late', message: 'the worker was held up past its deadline; nothing was sent' },
};

function draftsOf(
  visit: Visit,
  call: { callId: string; step: number; attempt: number; effect: EffectKind; left: boolean },
  outcome: ToolOutcome,
): Draft[] {
  const { callId, step, attempt, effect, left } = call;
  const returned = { type: 'tool_returned' as const, step, callId, source: 'executed' as const };
  if (outcome.kind === 'returned') return [{ ...returned, result: outcome.result }];
  const { error } = outcome;
  if (outcome.kind === 'failed' && !outcome.retryable) return [{ ...returned, error }];
  const failed: Draft = { type: 'tool_call_failed', step, callId, error, attempt, outcome: outcome.kind };
  if (!left) return outcome.kind === 'unknown' ? [failed] : [failed, { ...returned, error }];
  // What must be asked about, or put before a person, has times of its own.
  const waits = outcome.kind === 'failed' || effect === 'read' || effect === 'keyed';
  const { clock, ids } = visit.rt.world;
  return [waits ? { ...failed, retryAt: instant(clock.now() + retryDelay(attempt, ids.random())) } : failed];
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
  await commitOutcome(visit, { key, step, attempt, by: 'dangling', drafts: [draft] });
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
async function resolveUnsent(
  visit: Visit,
  call: ToolCall,
  fields: { source: 'invalid'; error: { code: string; message: string } },
): Promise<void> {
  const step = call.step || (visit.state.turn?.step ?? 0);
  await commit(visit, [{ type: 'tool_returned', step, callId: call.callId, ...fields }]);
}

import type { EffectKind } from '../core/event-parts.ts';
import type { Draft } from '../core/events.ts';
import { landedBefore } from '../core/fold-turn.ts';
import type { Json } from '../core/json.ts';
import { type AttemptTerms, crashesOf } from '../core/reconcile.ts';
import { retryDelay } from '../core/retry.ts';
import type { ToolCall } from '../core/state.ts';
import type { Tool } from '../tool.ts';
import { checkApproval } from './approval.ts';
import { attemptFields, claim, timeLeft } from './claim.ts';
import { commitOutcome } from './commit-outcome.ts';
import { runTool, type ToolOutcome } from './run-tool.ts';
import { instant } from './surroundings.ts';
import { toolState } from './tool-state.ts';
import type { Visit } from './visit.ts';

/** Claims a call, runs its tool once, and commits what came of it. */
export async function sendCall(
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
  // Whatever cannot be read stands in the way before the claim, not after it.
  const values = await toolState(visit);
  if (!(await claim(visit, call.callId, requested))) return;
  const { attempt } = fields;
  const timeoutMs = Math.min(tool.timeoutMs, timeLeft(visit, tool.timeoutMs));
  const inTime = visit.rt.world.clock.now() < Date.parse(fields.claim.deadline);
  const outcome = inTime
    ? await runTool(visit, { tool, args, values, step, attempt, idempotencyKey, timeoutMs })
    : LATE;
  const landed = landedBefore(call, effect);
  const left = attempt - crashesOf(call, terms) < terms.attempts;
  const drafts = draftsOf(visit, { callId: call.callId, step, attempt, effect, left, landed }, outcome);
  await commitOutcome(visit, { key: call.callId, step, attempt, by: 'claim', drafts: () => drafts });
}

/** The worker was held up until its deadline: others may act by now, so it sends nothing. */
const LATE: ToolOutcome = {
  kind: 'failed',
  retryable: true,
  error: { code: 'late', message: 'the worker was held up past its deadline; nothing was sent' },
};

function draftsOf(
  visit: Visit,
  call: { callId: string; step: number; attempt: number; effect: EffectKind; left: boolean; landed: boolean },
  outcome: ToolOutcome,
): Draft[] {
  const { callId, step, attempt, effect, left, landed } = call;
  const returned = { type: 'tool_returned' as const, step, callId, source: 'executed' as const };
  const written = outcome.kind === 'unknown' ? [] : (outcome.patches ?? []);
  const patches = written.map((patch): Draft => ({ type: 'state_patched', step, ...patch }));
  if (outcome.kind === 'returned') return [...patches, { ...returned, result: outcome.result }];
  const { error } = outcome;
  if (outcome.kind === 'failed' && !outcome.retryable) return [...patches, { ...returned, error }];
  const failed: Draft = { type: 'tool_call_failed', step, callId, error, attempt, outcome: outcome.kind };
  // The last refusal does not undo what an earlier attempt may have done: then a person must know.
  if (!left) return outcome.kind === 'unknown' || landed ? [failed] : [failed, { ...returned, error }];
  // What must be asked about, or put before a person, has times of its own.
  const waits = outcome.kind === 'failed' || effect === 'read' || effect === 'keyed';
  const { clock, ids } = visit.rt.world;
  return [waits ? { ...failed, retryAt: instant(clock.now() + retryDelay(attempt, ids.random())) } : failed];
}

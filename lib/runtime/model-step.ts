import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { Agent } from '../agent.ts';
import type { Draft } from '../core/events.ts';
import { isDangling, MODEL } from '../core/next.ts';
import { attemptsLeft } from '../core/reconcile.ts';
import { retryDelay } from '../core/retry.ts';
import { requestHash } from '../core/transcript.ts';
import { callModel, type ModelOutcome } from '../models/call-model.ts';
import { toolCalls } from '../models/completion.ts';
import { promptOf } from '../models/prompt.ts';
import { attemptFields, claim, deadlineOf, timeLeft } from './claim.ts';
import { commitOutcome } from './commit-outcome.ts';
import { deadlineSignal } from './deadline-signal.ts';
import { loadTranscript } from './load-transcript.ts';
import { parseArguments } from './parse-arguments.ts';
import { instant, surroundings } from './surroundings.ts';
import type { Visit } from './visit.ts';

/** How long one model call may take, in ms. */
const TIMEOUT_MS = 180_000;
/** Attempts at one model call, in all. */
const ATTEMPTS = 4;

/** Issues the model call that is next, once. */
export async function modelStep(visit: Visit, agent: Agent): Promise<void> {
  const { rt, state } = visit;
  const call = state.model;
  const step = call.step || state.step + 1;
  const around = surroundings(rt);
  const terms = { ...around, attempts: ATTEMPTS, deadline: deadlineOf(visit, TIMEOUT_MS) };
  if (isDangling(call, around) && !attemptsLeft(call, terms)) {
    const error = { code: 'attempts_lost', message: `the model call was cut off ${call.attempt} times` };
    const drafts: Draft[] = [{ type: 'model_call_failed', step, error, attempt: call.attempt }];
    return commitOutcome(visit, { key: MODEL, step, attempt: call.attempt, by: 'dangling', drafts });
  }
  const options = await requestOf(visit, agent);
  const params = { provider: agent.model.provider, modelId: agent.model.modelId };
  const fields = attemptFields(visit, call, TIMEOUT_MS);
  const hash = call.requestHash ?? requestHash(state.transcript, params);
  if (
    !(await claim(visit, MODEL, { type: 'model_call_requested', step, requestHash: hash, params, ...fields }))
  )
    return;
  const { signal, clear } = deadlineSignal(Math.min(TIMEOUT_MS, timeLeft(visit, TIMEOUT_MS)));
  const outcome = await callModel(
    agent.model,
    { ...options, abortSignal: signal },
    rt.world.clock.now(),
  ).finally(clear);
  const { attempt } = fields;
  const drafts = await draftsOf(visit, agent, { step, attempt, crashes: fields.crashes ?? 0 }, outcome);
  await commitOutcome(visit, { key: MODEL, step, attempt, by: 'claim', drafts });
}

async function requestOf(visit: Visit, agent: Agent): Promise<LanguageModelV4CallOptions> {
  const limits = new Map(agent.tools.map((tool) => [tool.name, tool.resultLimit]));
  const entries = await loadTranscript(visit);
  return {
    prompt: promptOf(agent.instructions, entries, (tool) => limits.get(tool) ?? DEFAULT_LIMIT),
    ...(agent.tools.length > 0 && {
      tools: agent.tools.map(({ name, description, inputSchema }) => ({
        type: 'function' as const,
        name,
        description,
        inputSchema,
      })),
    }),
  };
}

const DEFAULT_LIMIT = 100_000;

async function draftsOf(
  visit: Visit,
  agent: Agent,
  call: { step: number; attempt: number; crashes: number },
  outcome: ModelOutcome,
): Promise<Draft[]> {
  const { step, attempt } = call;
  if ('answer' in outcome) {
    const { completion, ...rest } = outcome.answer;
    const responded: Draft = { type: 'model_responded', step, completion: completion as never, ...rest };
    return [responded, ...(await refusals(agent, step, toolCalls(completion)))];
  }
  const { clock, ids } = visit.rt.world;
  const failed: Draft = { type: 'model_call_failed', step, error: outcome.error, attempt };
  if (!outcome.retryable || attempt - call.crashes >= ATTEMPTS) return [failed];
  const wait = outcome.retryAfterMs ?? retryDelay(attempt, ids.random());
  return [{ ...failed, retryAt: instant(clock.now() + wait) }];
}

/** Calls of unknown tools, or with arguments that do not fit, go back to the model and are never sent. */
async function refusals(agent: Agent, step: number, calls: ReturnType<typeof toolCalls>): Promise<Draft[]> {
  const parsed = await Promise.all(calls.map((call) => parseArguments(agent, call.toolName, call.input)));
  return parsed.flatMap((result, index): Draft[] =>
    'error' in result
      ? [{ type: 'tool_returned', step, callId: `${step}.${index}`, source: 'invalid', error: result.error }]
      : [],
  );
}

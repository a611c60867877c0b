import type { Agent } from '../agent.ts';
import { ended } from '../core/entries.ts';
import type { LoggedError, TokenUsage } from '../core/event-parts.ts';
import type { Draft } from '../core/events.ts';
import { lostUsage } from '../core/fold.ts';
import { retryDelay } from '../core/retry.ts';
import type { RunState } from '../core/state.ts';
import type { FailedCall } from '../models/call-model.ts';
import { type Answer, textOf, toolCalls } from '../models/completion.ts';
import { pricedUsage } from '../models/priced-usage.ts';
import { blockDraft } from './block-run.ts';
import { parseOutput } from './output.ts';
import { parseArguments } from './parse-arguments.ts';
import { instant } from './surroundings.ts';
import type { Visit } from './visit.ts';

/** Attempts at one model call, in all. */
export const MODEL_ATTEMPTS = 4;
/** So many answers in a row that were cut, or that misfit the output's schema, are told to the model; the next ends it. */
const PATIENCE = 3;

type Drafts = (state: RunState) => readonly Draft[];

/** The events of a model's answer: the answer, and what is wrong with its calls or its output, for the model to read. */
export async function answerDrafts(
  visit: Visit,
  agent: Agent,
  { step, answer }: { step: number; answer: Answer },
): Promise<Drafts> {
  const { completion, usage, ...rest } = answer;
  const responded: Draft = {
    type: 'model_responded',
    step,
    completion: completion as never,
    ...rest,
    usage: pricedUsage(usage, agent.prices),
  };
  const patient = visit.state.misfits < PATIENCE;
  if (answer.calls.length > 0) {
    const drafts = [responded, ...(await refusals(agent, step, answer))];
    if (patient || answer.finishReason.unified !== 'length') return () => drafts;
    const error = {
      code: 'cut_answers',
      message: `the model's answer was cut at its token limit ${PATIENCE + 1} times in a row`,
    };
    return (state) => [
      ...drafts,
      blockDraft(state, { reason: 'provider_blocked', facts: { cause: error.code }, error }, drafts.length),
    ];
  }
  const parsed = agent.output && patient ? await parseOutput(agent.output, textOf(completion)) : undefined;
  if (!parsed || 'value' in parsed) return (state) => [responded, ...turnEnds(agent, state)];
  return () => [
    responded,
    { type: 'message_received', step, messageId: `output:${step}`, content: parsed.misfit },
  ];
}

/** A conversation's turn ends with its answer. A message that came meanwhile begins the next at once, with limits of its own. */
function turnEnds(agent: Agent, state: RunState): Draft[] {
  const waits = state.waiting.length > 0;
  if (!agent.conversation || state.cancel || (state.closing && !waits)) return [];
  const wait = {
    step: state.step + 1,
    interruptId: `i${state.head + 2}`,
    reason: 'awaiting_message' as const,
  };
  return [{ type: 'interrupted', ...wait }, ...(waits ? [ended(wait, 'message')] : [])];
}

/** The events of an attempt that failed: a durable wait, or a run that waits for a person. */
export function outcomeDrafts(
  visit: Visit,
  agent: Agent,
  call: { step: number; attempt: number; crashes: number },
  failed: FailedCall,
): Drafts {
  const { step, attempt, crashes } = call;
  const { error, retryable, used } = failed;
  const usage = used === 'unknown' ? lostUsage(visit.state.model) : used && pricedUsage(used, agent.prices);
  const booked = usage && { usage };
  if (!retryable || attempt - crashes >= MODEL_ATTEMPTS)
    return blockedDrafts({ step, attempt, error, ...booked });
  const { clock, ids } = visit.rt.world;
  const retryAt = instant(failed.retryAt ?? clock.now() + retryDelay(attempt, ids.random()));
  return () => [{ type: 'model_call_failed', step, error, attempt, retryAt, ...booked }];
}

/** The events of a model call whose last attempt was lost together with its worker. */
export function lostDrafts({ state }: Visit): Drafts {
  const { step, attempt } = state.model;
  const error = { code: 'attempts_lost', message: `the model call was cut off ${attempt} times` };
  return blockedDrafts({ step, attempt, error, usage: lostUsage(state.model) });
}

/** The last attempt failed: a person is told the cause, and may let the same request be tried once more. */
function blockedDrafts(failed: {
  step: number;
  attempt: number;
  error: LoggedError;
  usage?: TokenUsage;
}): Drafts {
  const { step, error } = failed;
  return (state) => [
    { type: 'model_call_failed', ...failed },
    blockDraft(state, { reason: 'provider_blocked', step, facts: { cause: error.code }, error }, 1),
  ];
}

/** Calls of unknown tools, or with arguments that do not fit, go back to the model and are never sent. */
async function refusals(agent: Agent, step: number, answer: Answer): Promise<Draft[]> {
  const calls = toolCalls(answer.completion);
  const parsed = await Promise.all(calls.map((call) => parseArguments(agent, call.toolName, call.input)));
  return parsed.flatMap((result, index): Draft[] => {
    // At the token limit the last call may be whole by chance only.
    const cut = answer.finishReason.unified === 'length' && index === calls.length - 1;
    const error = cut ? CUT : 'error' in result ? result.error : undefined;
    return error
      ? [{ type: 'tool_returned', step, callId: `${step}.${index}`, source: 'invalid', error }]
      : [];
  });
}

const CUT: LoggedError = {
  code: 'cut_call',
  message:
    'Your answer was cut at the token limit in the middle of this call; nothing was done. Call again with less.',
};

import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { isStepfoldError } from '../core/errors.ts';
import type { LoggedError, TokenUsage } from '../core/event-parts.ts';
import { type Answer, readAnswer, textOf } from './completion.ts';
import { loggedError } from './logged-error.ts';
import { troubleOf } from './provider-trouble.ts';
import { retryAfter } from './retry-after.ts';

/** An attempt that gave no answer that can be used. */
export interface FailedCall {
  readonly error: LoggedError;
  /** The same request may fare better later. */
  readonly retryable: boolean;
  /** When the provider wants to be asked again, in ms since the epoch. */
  readonly retryAt?: number;
  /** What the provider counted, or `unknown`: it was asked, and may bill what nobody has seen. */
  readonly used?: TokenUsage | 'unknown';
}

/** What came of one attempt at a model call. */
export type ModelOutcome = { readonly answer: Answer } | (FailedCall & { readonly answer?: undefined });

const ASKED: ReadonlySet<string> = new Set(['cut_off', 'bad_answer']);

/** One call, with no retries of its own: those are durable waits, and the caller's. */
export async function callModel(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions,
  clock: { now(): number },
): Promise<ModelOutcome> {
  const { abortSignal } = options;
  try {
    return judge(readAnswer(await Promise.race([model.doGenerate(options), rejection(abortSignal)])));
  } catch (error) {
    if (abortSignal?.aborted) {
      const message = 'the model did not answer in time';
      return { error: { code: 'model_timeout', message }, retryable: true, used: 'unknown' };
    }
    const { cause, retryable } = troubleOf(error);
    const retryAt = retryable ? retryAfter(error, clock.now()) : undefined;
    return {
      error: loggedError(error, cause),
      retryable,
      ...(retryAt !== undefined && { retryAt }),
      ...((ASKED.has(cause) || isStepfoldError(error, 'bad_completion')) && { used: 'unknown' }),
    };
  }
}

function judge(answer: Answer): ModelOutcome {
  const { finishReason, calls, completion, usage: used } = answer;
  const failure = (code: string, message: string, retryable: boolean): FailedCall => ({
    error: { code, message },
    retryable,
    used,
  });
  const why = finishReason.unified;
  if (why === 'error') return failure('provider_error', 'the provider ended its answer with an error', true);
  if (why === 'interrupted') return failure('cut_off', "the provider's answer was cut off", true);
  if (why === 'content-filter')
    return failure('refusal', 'the model refused to answer this conversation', false);
  const empty = calls.length === 0 && textOf(completion).trim() === '';
  return empty ? failure('empty_answer', 'the model answered with nothing', true) : { answer };
}

function rejection(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    if (signal?.aborted) reject(signal.reason);
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

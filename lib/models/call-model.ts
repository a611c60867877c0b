import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { LoggedError } from '../core/event-parts.ts';
import { type Answer, readAnswer, textOf } from './completion.ts';
import { loggedError } from './logged-error.ts';
import { retryAfter, troubleOf } from './provider-trouble.ts';

/** What came of one attempt at a model call. */
export type ModelOutcome =
  | { answer: Answer }
  /** `retryable`: the same request may fare better later. */
  | { error: LoggedError; retryable: boolean; retryAfterMs?: number; answer?: undefined };

/** One call, with no retries of its own: those are durable waits, and the caller's. */
export async function callModel(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions,
  now: number,
): Promise<ModelOutcome> {
  const { abortSignal } = options;
  try {
    return judge(readAnswer(await Promise.race([model.doGenerate(options), rejection(abortSignal)])));
  } catch (error) {
    if (abortSignal?.aborted) return failure('model_timeout', 'the model did not answer in time', true);
    const { cause, retryable } = troubleOf(error);
    const retryAfterMs = retryAfter(error, now);
    return {
      error: loggedError(error, cause),
      retryable,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    };
  }
}

function judge(answer: Answer): ModelOutcome {
  const { finishReason, calls, completion } = answer;
  const why = finishReason.unified;
  if (why === 'error') return failure('provider_error', 'the provider ended its answer with an error', true);
  if (why === 'interrupted') return failure('cut_off', "the provider's answer was cut off", true);
  if (why === 'content-filter')
    return failure('refusal', 'the model refused to answer this conversation', false);
  const empty = calls.length === 0 && textOf(completion).trim() === '';
  return empty ? failure('empty_answer', 'the model answered with nothing', true) : { answer };
}

function failure(code: string, message: string, retryable: boolean): ModelOutcome {
  return { error: { code, message }, retryable };
}

function rejection(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    if (signal?.aborted) reject(signal.reason);
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

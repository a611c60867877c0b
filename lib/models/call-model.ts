import { APICallError, type LanguageModelV4, type LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { LoggedError } from '../core/events.ts';
import { type Answer, readAnswer } from './completion.ts';
import { loggedError } from './logged-error.ts';

/** What came of one attempt at a model call. */
export type ModelOutcome =
  | { answer: Answer }
  | { error: LoggedError; retryable: boolean; retryAfterMs?: number };

/** One call, with no retries of its own: those are durable waits, and the caller's. */
export async function callModel(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions,
  now: number,
): Promise<ModelOutcome> {
  const { abortSignal } = options;
  try {
    const result = await Promise.race([model.doGenerate(options), rejection(abortSignal)]);
    const answer = readAnswer(result);
    if (answer.finishReason.unified === 'error') {
      return {
        error: { code: 'provider_error', message: 'the provider ended its answer with an error' },
        retryable: true,
      };
    }
    return { answer };
  } catch (error) {
    if (abortSignal?.aborted) {
      return {
        error: { code: 'model_timeout', message: 'the model did not answer in time' },
        retryable: true,
      };
    }
    const retryAfterMs = retryAfter(error, now);
    return {
      error: loggedError(error, 'model_error'),
      retryable: isRetryable(error),
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    };
  }
}

function rejection(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    if (signal?.aborted) reject(signal.reason);
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

function isRetryable(error: unknown): boolean {
  if (APICallError.isInstance(error)) return error.isRetryable;
  return (error as { retryable?: unknown } | undefined)?.retryable === true;
}

/** What the provider's `retry-after` says, as seconds or as a date, in ms from now. */
function retryAfter(error: unknown, now: number): number | undefined {
  if (!APICallError.isInstance(error)) return undefined;
  const said = error.responseHeaders?.['retry-after'];
  if (said === undefined) return undefined;
  const ms = /^\d+(\.\d+)?$/.test(said) ? Number(said) * 1_000 : Date.parse(said) - now;
  return Number.isFinite(ms) && ms >= 0 ? Math.ceil(ms) : undefined;
}

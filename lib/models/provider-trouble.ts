import { APICallError } from '@ai-sdk/provider';

/** Why a provider did not answer, and whether the same request may fare better later. */
export interface Trouble {
  readonly cause:
    | 'rate_limited'
    | 'overloaded'
    | 'quota_used_up'
    | 'context_too_long'
    | 'cut_off'
    | 'unreachable'
    | 'model_error';
  readonly retryable: boolean;
}

const QUOTA =
  /insufficient_quota|exceeded your current quota|credit balance|billing|ServiceQuotaExceeded|spend(ing)? limit/i;
const TOO_LONG =
  /context[_ ]length|context window|prompt is too long|input is too long|maximum context|too many (input )?tokens|request_too_large/i;
const CUT =
  /terminated|unexpected end of (json|input)|premature close|invalid json response|other side closed|socket hang up/i;
const OVERLOADED: ReadonlySet<number> = new Set([408, 409, 500, 502, 503, 504, 529]);

/** Reads an error of a provider, by what it says and by its status. */
export function troubleOf(error: unknown): Trouble {
  const status = APICallError.isInstance(error) ? error.statusCode : undefined;
  const said = wordsOf(error);
  if (QUOTA.test(said)) return { cause: 'quota_used_up', retryable: false };
  if (TOO_LONG.test(said) && status !== 429) return { cause: 'context_too_long', retryable: false };
  if (status === 429) return { cause: 'rate_limited', retryable: true };
  if (status !== undefined && OVERLOADED.has(status)) return { cause: 'overloaded', retryable: true };
  if (CUT.test(said) && (status === undefined || status < 400)) return { cause: 'cut_off', retryable: true };
  const retryable = APICallError.isInstance(error)
    ? error.isRetryable
    : (error as { retryable?: unknown } | undefined)?.retryable === true;
  return { cause: retryable ? 'unreachable' : 'model_error', retryable };
}

/** What the provider's `retry-after` says, in seconds or as a date, or `retry-after-ms`; in ms from now. */
export function retryAfter(error: unknown, now: number): number | undefined {
  if (!APICallError.isInstance(error)) return undefined;
  const { 'retry-after-ms': precise, 'retry-after': said } = error.responseHeaders ?? {};
  if (precise !== undefined && /^\d+(\.\d+)?$/.test(precise)) return Math.ceil(Number(precise));
  if (said === undefined) return undefined;
  const ms = /^\d+(\.\d+)?$/.test(said) ? Number(said) * 1_000 : Date.parse(said) - now;
  return Number.isFinite(ms) && ms >= 0 ? Math.ceil(ms) : undefined;
}

function wordsOf(error: unknown): string {
  const words: string[] = [];
  for (let at = error; at instanceof Error && words.length < 12; at = at.cause) {
    words.push(at.name, at.message);
    if (APICallError.isInstance(at) && at.responseBody !== undefined)
      words.push(at.responseBody.slice(0, 4_000));
  }
  return words.join('\n');
}

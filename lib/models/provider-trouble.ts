import { type Clues, cluesOf } from './provider-clues.ts';

/** Why a provider did not answer, and whether the same request may fare better later. */
export interface Trouble {
  readonly cause:
    | 'rate_limited'
    | 'overloaded'
    | 'quota_used_up'
    | 'context_too_long'
    /** It was asked, and its answer was lost on the way. */
    | 'cut_off'
    /** It answered something that its own library does not understand. */
    | 'bad_answer'
    /** Nothing was sent, as far as can be told. */
    | 'unreachable'
    | 'model_error';
  readonly retryable: boolean;
}

/** Reads an error of a provider, by its codes, its status and its words. */
export function troubleOf(error: unknown): Trouble {
  const clues = cluesOf(error);
  for (const [cause, retryable, holds] of RULES) if (holds(clues)) return { cause, retryable };
  return clues.retryable
    ? { cause: 'unreachable', retryable: true }
    : { cause: 'model_error', retryable: false };
}

const NOT_SENT = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT)$/;
const LOST = /^(ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|UND_ERR_(SOCKET|HEADERS_TIMEOUT|BODY_TIMEOUT))$/;
const LOST_WORDS = /terminated|premature close|other side closed|socket hang up/i;
const MISFIT = /^AI_(TypeValidation|InvalidResponseData|NoContentGenerated)Error$/;
const FORBIDDEN_WORDS = /forbidden prototype property/;
const QUOTA = /^(insufficient_quota|quota_exceeded|billing_\w+|ServiceQuotaExceededException)$/;
const QUOTA_WORDS =
  /exceeded your current quota|credit balance|billing|usage limits?|spend(ing)? limit|service quota/i;
const RATE = /^(rate_limit_(exceeded|error)|ThrottlingException|TooManyRequestsException)$/;
const LARGE_WORDS = /request too large/i;
const TOO_LONG = /^(context_length_exceeded|request_too_large|string_above_max_length)$/;
const TOO_LONG_WORDS =
  /context[_ ](length|window|limit)|(prompt|input) is too long|maximum context|too many (input )?tokens/i;
const BUSY = /^(server_error|api_error|overloaded_error|ModelErrorException)$/;
const BUSY_STATUS: ReadonlySet<number> = new Set([408, 409, 424]);

/** The first that holds decides. */
const RULES: readonly [Trouble['cause'], boolean, (clues: Clues) => boolean][] = [
  ['unreachable', true, ({ status, codes }) => status === undefined && has(codes, NOT_SENT)],
  // What was answered with success is the model's: its words say nothing about the provider.
  ['bad_answer', true, ({ names, words, status = 500 }) => status < 400 && isWhole(names, words)],
  ['cut_off', true, ({ status = 500 }) => status < 400],
  [
    'cut_off',
    true,
    ({ status, codes, words }) => status === undefined && (has(codes, LOST) || LOST_WORDS.test(words)),
  ],
  [
    'bad_answer',
    true,
    ({ names }) => /^AI_(InvalidResponseData|EmptyResponseBody)Error$/.test(names[0] ?? ''),
  ],
  ['quota_used_up', false, ({ codes }) => has(codes, QUOTA)],
  ['quota_used_up', false, ({ codes, words }) => !has(codes, RATE) && QUOTA_WORDS.test(words)],
  // A limit by the day that names no time will not be over in a minute.
  ['quota_used_up', false, ({ status, words, waits }) => status === 429 && /per day/i.test(words) && !waits],
  ['context_too_long', false, ({ status, words }) => status === 413 || LARGE_WORDS.test(words)],
  ['rate_limited', true, ({ status, codes }) => status === 429 || has(codes, RATE)],
  ['context_too_long', false, ({ codes, words }) => has(codes, TOO_LONG) || TOO_LONG_WORDS.test(words)],
  [
    'overloaded',
    true,
    ({ status = 0, codes }) => status >= 500 || BUSY_STATUS.has(status) || has(codes, BUSY),
  ],
];

function has(codes: readonly string[], pattern: RegExp): boolean {
  return codes.some((code) => pattern.test(code));
}

/** Whether all of the answer has come, and its provider's library still cannot use it. */
function isWhole(names: readonly string[], words: string): boolean {
  return names.some((name) => MISFIT.test(name)) || FORBIDDEN_WORDS.test(words);
}

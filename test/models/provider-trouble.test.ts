import { APICallError } from '@ai-sdk/provider';
import { expect, test } from 'vitest';
import { troubleOf } from '../../lib/models/provider-trouble.ts';
import { retryAfter } from '../../lib/models/retry-after.ts';

function said(statusCode: number, body: unknown, responseHeaders: Record<string, string> = {}) {
  const responseBody = typeof body === 'string' ? body : JSON.stringify(body);
  const message = `status ${statusCode}`;
  return new APICallError({
    message,
    url: 'http://p',
    requestBodyValues: {},
    statusCode,
    responseBody,
    responseHeaders,
  });
}
const anthropic = (status: number, type: string, message: string) =>
  said(status, { type: 'error', error: { type, message } });
const openai = (status: number, code: string | null, message: string) =>
  said(status, { error: { message, type: 'requests', param: null, code } });
const bedrock = (status: number, type: string, message: string) =>
  said(status, { message }, { 'x-amzn-errortype': `${type}:http://internal/` });

const again = true;
const atOnce = false;
const ROWS: [string, Error, string, boolean][] = [
  [
    'spent credit',
    anthropic(400, 'invalid_request_error', 'Your credit balance is too low'),
    'quota_used_up',
    atOnce,
  ],
  [
    'a spent limit',
    anthropic(400, 'invalid_request_error', 'You have reached your specified API usage limits.'),
    'quota_used_up',
    atOnce,
  ],
  ['a bill', anthropic(402, 'billing_error', 'Payment required'), 'quota_used_up', atOnce],
  [
    'a rate limit that advertises',
    openai(429, 'rate_limit_exceeded', 'Rate limit reached. Visit /account/billing to add a payment method.'),
    'rate_limited',
    again,
  ],
  [
    'a request above the whole limit of a minute',
    openai(429, 'rate_limit_exceeded', 'Request too large for the model on tokens per min'),
    'context_too_long',
    atOnce,
  ],
  [
    'a closed account',
    openai(429, 'billing_not_active', 'Your account is not active'),
    'quota_used_up',
    atOnce,
  ],
  [
    'throttling by tokens',
    bedrock(429, 'ThrottlingException', 'Too many tokens, please wait before trying again.'),
    'rate_limited',
    again,
  ],
  [
    'a limit of the day',
    bedrock(429, 'ThrottlingException', 'Too many tokens per day, please wait.'),
    'quota_used_up',
    atOnce,
  ],
  [
    'an error of the model',
    bedrock(424, 'ModelErrorException', 'The model failed to process the request.'),
    'overloaded',
    again,
  ],
  ['a model that is loading', bedrock(429, 'ModelNotReadyException', 'Not ready'), 'rate_limited', again],
  ['a body that is too large', said(413, '<html>'), 'context_too_long', atOnce],
  ['a gateway', said(520, '<html>'), 'overloaded', again],
  ['a key that is wrong', anthropic(401, 'authentication_error', 'invalid x-api-key'), 'model_error', atOnce],
  [
    'a request that is wrong',
    anthropic(400, 'invalid_request_error', 'max_tokens: must be positive'),
    'model_error',
    atOnce,
  ],
  ['an error that is no error of a call', new TypeError('x is not a function'), 'model_error', atOnce],
  [
    'what says of itself that it may be retried',
    Object.assign(new Error('later'), { retryable: true }),
    'unreachable',
    again,
  ],
];

test.each(ROWS)('%s', (_, error, cause, retryable) => {
  expect(troubleOf(error)).toEqual({ cause, retryable });
});

test('what is thrown and is no error at all', () => {
  const unreadable = Object.defineProperty(new Error(), 'message', {
    get: () => {
      throw new Error('no');
    },
  });
  for (const thrown of [undefined, null, 'no', 7, { statusCode: 429 }, unreadable])
    expect(troubleOf(thrown)).toEqual({ cause: 'model_error', retryable: false });
});

const NOW = Date.UTC(2026, 0, 1);

test.each([
  ['seconds', { 'retry-after': '120' }, 120_000],
  ['a part of a second', { 'retry-after': '0.2' }, 200],
  ['a date', { 'retry-after': 'Thu, 01 Jan 2026 00:10:00 GMT' }, 600_000],
  ['milliseconds, which win', { 'retry-after-ms': '1500', 'retry-after': '2' }, 1_500],
  ['now', { 'retry-after': '0' }, undefined],
  ['a date that has passed', { 'retry-after': 'Thu, 01 Jan 2025 00:00:00 GMT' }, undefined],
  ['no time at all', { 'retry-after': 'soon' }, undefined],
  ['less than nothing', { 'retry-after': '-5' }, undefined],
  ['longer than anybody waits', { 'retry-after': '99999999999999999999' }, undefined],
  ['nothing', {}, undefined],
])('retry-after says %s', (_, headers, expected) => {
  const at = retryAfter(said(429, '', headers), NOW);
  expect(at).toBe(expected === undefined ? undefined : NOW + expected);
});

import { createAnthropic } from '@ai-sdk/anthropic';
import type { Reply } from './fake-service.ts';
import { type Said, type Service, USAGE } from './service.ts';

const STOP = { stop: 'end_turn', length: 'max_tokens', refusal: 'refusal' };

export const anthropicService: Service = {
  model: (url) => createAnthropic({ baseURL: `${url}/v1`, apiKey: 'key' })('claude-sonnet-4-5'),
  says: ({ text, calls = [], finish, usage = USAGE }: Said) =>
    anthropicSays(
      [
        ...(text === undefined ? [] : [{ type: 'text', text }]),
        ...calls.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: partial(args) })),
      ],
      { stop: finish ? STOP[finish] : calls.length > 0 ? 'tool_use' : 'end_turn', usage },
    ),
  errors: {
    rateLimited: (headers) =>
      failed(429, 'rate_limit_error', "This request would exceed your account's rate limit.", headers),
    overloaded: failed(529, 'overloaded_error', 'Overloaded'),
    broken: failed(500, 'api_error', 'Internal server error'),
    quota: failed(
      400,
      'invalid_request_error',
      'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
    ),
    tooLong: failed(
      400,
      'invalid_request_error',
      'input length and `max_tokens` exceed context limit: 199000 + 4096 > 200000, decrease input length or `max_tokens` and try again',
    ),
  },
};

/** A message of content blocks as they are. */
export function anthropicSays(
  content: readonly unknown[],
  { stop = 'end_turn', usage = USAGE }: { stop?: string; usage?: typeof USAGE } = {},
): Reply {
  return {
    body: {
      id: 'msg_01',
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-4-5',
      content,
      stop_reason: stop,
      stop_sequence: null,
      usage: {
        input_tokens: usage.fresh,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: usage.cached,
        output_tokens: usage.output,
      },
    },
  };
}

/** The service parses what its model writes; of a call that was cut it gives what it has. */
function partial(args: string): unknown {
  try {
    return JSON.parse(args);
  } catch {
    return {};
  }
}

function failed(status: number, type: string, message: string, headers: Record<string, string> = {}): Reply {
  return { status, headers, body: { type: 'error', error: { type, message }, request_id: 'req_01' } };
}

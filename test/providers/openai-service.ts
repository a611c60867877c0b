import { createOpenAI } from '@ai-sdk/openai';
import type { Reply } from './fake-service.ts';
import { type Said, type Service, USAGE } from './service.ts';

const errors: Service['errors'] = {
  rateLimited: (headers) =>
    failed(
      429,
      {
        type: 'requests',
        code: 'rate_limit_exceeded',
        message:
          'Rate limit reached for the model on requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in 20s. ' +
          'Visit https://platform.openai.com/account/billing to add a payment method.',
      },
      headers,
    ),
  overloaded: failed(503, {
    type: 'server_error',
    code: null,
    message: 'The engine is currently overloaded, please try again later',
  }),
  broken: failed(500, {
    type: 'server_error',
    code: null,
    message: 'The server had an error while processing your request.',
  }),
  quota: failed(429, {
    type: 'insufficient_quota',
    code: 'insufficient_quota',
    message: 'You exceeded your current quota, please check your plan and billing details.',
  }),
  tooLong: failed(400, {
    type: 'invalid_request_error',
    code: 'context_length_exceeded',
    message: 'Your input exceeds the context window of this model.',
  }),
};

export const openaiService: Service = {
  model: (url) => createOpenAI({ baseURL: `${url}/v1`, apiKey: 'key' }).responses('gpt-5'),
  says: ({ text, calls = [], finish, usage = USAGE }: Said) =>
    openaiSays(
      [
        ...(text === undefined ? [] : [messageItem(text, finish)]),
        ...calls.map(({ id, name, args }, index) => ({
          type: 'function_call',
          id: `fc_0${index}`,
          call_id: id,
          name,
          arguments: args,
          status: finish === 'length' ? 'incomplete' : 'completed',
        })),
      ],
      { ...(finish === 'length' && { incomplete: 'max_output_tokens' }), usage },
    ),
  errors,
};

export const openaiChatService: Service = {
  model: (url) => createOpenAI({ baseURL: `${url}/v1`, apiKey: 'key' }).chat('gpt-4.1'),
  says: ({ text, calls = [], finish, usage = USAGE }: Said) => ({
    body: {
      id: 'chatcmpl-01',
      object: 'chat.completion',
      created: 1_767_225_600,
      model: 'gpt-4.1',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: finish === 'refusal' ? null : (text ?? null),
            refusal: finish === 'refusal' ? (text ?? 'No.') : null,
            ...(calls.length > 0 && {
              tool_calls: calls.map(({ id, name, args }) => ({
                id,
                type: 'function',
                function: { name, arguments: args },
              })),
            }),
          },
          finish_reason: finish === 'length' ? 'length' : calls.length > 0 ? 'tool_calls' : 'stop',
        },
      ],
      usage: {
        prompt_tokens: usage.fresh + usage.cached,
        completion_tokens: usage.output,
        total_tokens: usage.fresh + usage.cached + usage.output,
        prompt_tokens_details: { cached_tokens: usage.cached },
      },
    },
  }),
  errors,
};

/** A response of output items as they are. */
export function openaiSays(
  output: readonly unknown[],
  { incomplete, usage = USAGE }: { incomplete?: string; usage?: typeof USAGE } = {},
): Reply {
  return {
    body: {
      id: 'resp_01',
      object: 'response',
      created_at: 1_767_225_600,
      status: incomplete === undefined ? 'completed' : 'incomplete',
      error: null,
      incomplete_details: incomplete === undefined ? null : { reason: incomplete },
      model: 'gpt-5',
      output,
      usage: {
        input_tokens: usage.fresh + usage.cached,
        input_tokens_details: { cached_tokens: usage.cached },
        output_tokens: usage.output,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: usage.fresh + usage.cached + usage.output,
      },
    },
  };
}

function messageItem(text: string, finish: Said['finish']): unknown {
  const content =
    finish === 'refusal'
      ? [{ type: 'refusal', refusal: text }]
      : [{ type: 'output_text', text, annotations: [] }];
  return { type: 'message', id: 'msg_01', role: 'assistant', status: 'completed', content };
}

function failed(
  status: number,
  error: { type: string; code: string | null; message: string },
  headers: Record<string, string> = {},
): Reply {
  return { status, headers, body: { error: { ...error, param: null } } };
}

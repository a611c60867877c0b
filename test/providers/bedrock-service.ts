import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock';
import type { Reply } from './fake-service.ts';
import { type Said, type Service, USAGE } from './service.ts';

const STOP = { stop: 'end_turn', length: 'max_tokens', refusal: 'content_filtered' };

export const bedrockService: Service = {
  model: (url) =>
    createAmazonBedrock({
      baseURL: url,
      region: 'us-east-1',
      accessKeyId: 'id',
      secretAccessKey: 'secret',
    })('anthropic.claude-3-7-sonnet-20250219-v1:0'),
  says: ({ text, calls = [], finish, usage = USAGE }: Said) =>
    bedrockSays(
      [
        ...(text === undefined ? [] : [{ text }]),
        ...calls.map(({ id, name, args }) => ({ toolUse: { toolUseId: id, name, input: partial(args) } })),
      ],
      { stop: finish ? STOP[finish] : calls.length > 0 ? 'tool_use' : 'end_turn', usage },
    ),
  errors: {
    rateLimited: (headers) =>
      failed(429, 'ThrottlingException', 'Too many requests, please wait before trying again.', headers),
    overloaded: failed(503, 'ServiceUnavailableException', 'The service is temporarily unavailable.'),
    broken: failed(500, 'InternalServerException', 'An internal server error occurred.'),
    quota: failed(
      400,
      'ServiceQuotaExceededException',
      'Your request exceeds the service quota for your account.',
    ),
    tooLong: failed(400, 'ValidationException', 'Input is too long for requested model.'),
  },
};

/** A message of content blocks as they are. */
export function bedrockSays(
  content: readonly unknown[],
  { stop = 'end_turn', usage = USAGE }: { stop?: string; usage?: typeof USAGE } = {},
): Reply {
  return {
    body: {
      output: { message: { role: 'assistant', content } },
      stopReason: stop,
      metrics: { latencyMs: 1 },
      usage: {
        inputTokens: usage.fresh,
        cacheReadInputTokens: usage.cached,
        cacheWriteInputTokens: 0,
        outputTokens: usage.output,
        totalTokens: usage.fresh + usage.cached + usage.output,
      },
    },
  };
}

function partial(args: string): unknown {
  try {
    return JSON.parse(args);
  } catch {
    return {};
  }
}

/** The kind of an error stands in a header alone. */
function failed(status: number, type: string, message: string, headers: Record<string, string> = {}): Reply {
  return { status, headers: { 'x-amzn-errortype': type, ...headers }, body: { message } };
}

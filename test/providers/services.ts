import { anthropicService } from './anthropic-service.ts';
import { bedrockService } from './bedrock-service.ts';
import { openaiChatService, openaiService } from './openai-service.ts';
import type { Service } from './service.ts';

/** The AI SDK's own providers. */
export const SERVICES: Readonly<Record<string, Service>> = {
  Anthropic: anthropicService,
  OpenAI: openaiService,
  'OpenAI chat completions': openaiChatService,
  Bedrock: bedrockService,
};

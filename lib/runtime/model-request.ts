import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { Agent } from '../agent.ts';
import type { Json } from '../core/json.ts';
import { jsonSchemaOf } from '../core/json-schema-of.ts';
import { estimatedTokens } from '../models/estimated-tokens.ts';
import { withFileUrls } from '../models/file-urls.ts';
import { pricedUsage } from '../models/priced-usage.ts';
import { promptOf } from '../models/prompt.ts';
import { loadTranscript } from './load-transcript.ts';
import type { Visit } from './visit.ts';

const DEFAULT_LIMIT = 100_000;

/** What a request is expected to cost. */
interface Estimate {
  readonly estimatedTokens: number;
  readonly estimatedCostUsd?: number;
}

/** What the model is asked, what the log keeps of it, and what it is expected to cost. */
export async function requestOf(
  visit: Visit,
  agent: Agent,
): Promise<{ options: LanguageModelV4CallOptions; params: Json; estimate: Estimate }> {
  const limits = new Map(agent.tools.map((tool) => [tool.name, tool.resultLimit]));
  const { entries, omitted } = await loadTranscript(visit, agent.history);
  const prompt = promptOf(agent.instructions, entries, (tool) => limits.get(tool) ?? DEFAULT_LIMIT);
  const params = {
    provider: agent.model.provider,
    modelId: agent.model.modelId,
    ...(Object.keys(agent.settings).length > 0 && {
      settings: JSON.parse(JSON.stringify(agent.settings)) as Json,
    }),
    // What the model is not shown of the conversation is visible in the log.
    ...(agent.history && { history: { turns: agent.history.turns, omittedMessages: omitted } }),
  };
  const options: LanguageModelV4CallOptions = {
    ...agent.settings,
    prompt: withFileUrls(prompt),
    ...(agent.tools.length > 0 && { tools: agent.tools.map(functionTool) }),
    ...(agent.output && {
      responseFormat: {
        type: 'json',
        schema: jsonSchemaOf(`the output of agent ${agent.name}`, agent.output),
      },
    }),
  };
  return { options, params, estimate: estimateOf(prompt, agent) };
}

function estimateOf(prompt: LanguageModelV4CallOptions['prompt'], { prices }: Agent): Estimate {
  const inputTokens = estimatedTokens(prompt);
  const { costUsd } = pricedUsage({ inputTokens, outputTokens: 0, cachedInputTokens: 0 }, prices);
  return { estimatedTokens: inputTokens, ...(costUsd !== undefined && { estimatedCostUsd: costUsd }) };
}

function functionTool({ name, description, inputSchema }: Agent['tools'][number]) {
  return { type: 'function' as const, name, description, inputSchema };
}

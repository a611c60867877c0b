import type { LanguageModelV4, LanguageModelV4Prompt } from '@ai-sdk/provider';
import * as z from 'zod';
import { type Agent, defineAgent } from '../../lib/agent.ts';
import { defineTool } from '../../lib/tool.ts';
import { completions, results } from './text.ts';

/** What a run of the bench is started with. */
export interface BenchInput {
  /** Model calls and tool calls before the closing answer; even. */
  readonly steps: number;
  /** Every so many steps the tool call waits for an approval. */
  readonly pauseEvery?: number;
}

/** Sends the model this many messages from the end: half of them answers, half of them results. */
const LAST_MESSAGES = 20;

/**
 * An agent whose runs alternate completions of 2 KB and tool results of 1 KB. `onModel` and `onTool` are told when a call
 * arrives where it is executed: the n-th pair of the run that `input` describes.
 */
export function benchAgent(on: { model?: (n: number) => void; tool?: (n: number) => void } = {}): Agent {
  const work = defineTool({
    name: 'work',
    description: 'Does the next piece of work.',
    input: z.object({ n: z.int(), gated: z.boolean() }),
    effect: 'read',
    approval: { when: ({ gated }) => gated },
    run: ({ n }) => {
      on.tool?.(n);
      return { n, text: results[n % results.length] };
    },
  });
  return defineAgent({
    name: 'bench',
    revision: '1',
    model: benchModel((n) => on.model?.(n)),
    instructions: 'Work.',
    tools: [work],
    history: { turns: LAST_MESSAGES / 2 },
  });
}

/** Stateless: where the run stands is read from the prompt. */
function benchModel(onCall: (n: number) => void): LanguageModelV4 {
  return {
    specificationVersion: 'v4',
    provider: 'bench',
    modelId: 'bench',
    supportedUrls: {},
    async doGenerate({ prompt }) {
      const { steps, pauseEvery } = inputOf(prompt);
      const n = lastResultOf(prompt) + 1;
      onCall(n);
      const text = { type: 'text' as const, text: completions[n % completions.length] as string };
      const gated = pauseEvery !== undefined && (2 * n) % pauseEvery === 0;
      const call = {
        type: 'tool-call' as const,
        toolCallId: `call_${n}`,
        toolName: 'work',
        input: JSON.stringify({ n, gated }),
      };
      const last = 2 * n > steps;
      return {
        content: last ? [text] : [text, call],
        finishReason: last ? { unified: 'stop', raw: 'stop' } : { unified: 'tool-calls', raw: 'tool_calls' },
        usage: {
          inputTokens: { total: 8_000, noCache: 8_000, cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: 500, text: 500, reasoning: 0 },
        },
        warnings: [],
      };
    },
    doStream: () => Promise.reject(new Error('the bench does not stream')),
  };
}

/** The first message of the user is sent with every prompt. */
function inputOf(prompt: LanguageModelV4Prompt): BenchInput {
  const first = prompt.find((message) => message.role === 'user');
  const [part] = first?.content ?? [];
  return JSON.parse(part?.type === 'text' ? part.text : '{}') as BenchInput;
}

function lastResultOf(prompt: LanguageModelV4Prompt): number {
  const last = prompt.at(-1);
  const [part] = last?.role === 'tool' ? last.content : [];
  if (part?.type !== 'tool-result' || part.output.type !== 'json') return 0;
  return (part.output.value as { n: number }).n;
}

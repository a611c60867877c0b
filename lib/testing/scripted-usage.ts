import type { LanguageModelV4Content, LanguageModelV4Prompt, LanguageModelV4Usage } from '@ai-sdk/provider';

/** Token counts of a scripted answer; what is missing is counted from the text. */
export interface ScriptedUsage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
}

const CHARACTERS_PER_TOKEN = 4;

/** The usage of one scripted call. A function of prompt and answer alone, so that a repeated call costs the same. */
export function usageOf(
  prompt: LanguageModelV4Prompt,
  content: readonly LanguageModelV4Content[],
  given: ScriptedUsage = {},
): LanguageModelV4Usage {
  const input = given.inputTokens ?? tokens(prompt);
  const output = given.outputTokens ?? tokens(content);
  return {
    inputTokens: { total: input, noCache: input, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: output, text: output, reasoning: 0 },
  };
}

function tokens(value: unknown): number {
  const text = JSON.stringify(value, (_, part) =>
    ArrayBuffer.isView(part) ? `${part.byteLength} bytes` : part,
  );
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}

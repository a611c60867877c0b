import type { LanguageModelV4Content, LanguageModelV4GenerateResult } from '@ai-sdk/provider';
import * as z from 'zod';
import { StepfoldError } from '../core/errors.ts';
import type { TokenUsage } from '../core/event-parts.ts';
import { findUnrepresentable, type Json } from '../core/json.ts';

/** A model's answer as the log keeps it: content parts in their order, with the provider's metadata untouched. */
export interface Completion {
  readonly content: readonly LanguageModelV4Content[];
  readonly providerMetadata?: Json;
  readonly response?: { readonly id?: string; readonly modelId?: string };
}

/** What a model's answer means for the log. */
export interface Answer {
  readonly completion: Completion;
  readonly calls: { toolCallId: string; name: string }[];
  readonly finishReason: { unified: string; raw?: string };
  readonly usage: TokenUsage;
}

/**
 * Reads a provider's result. Bytes become base64, which is what providers take back, and URLs their text.
 *
 * @throws StepfoldError `bad_completion` for an answer that JSON cannot carry.
 */
export function readAnswer(result: LanguageModelV4GenerateResult): Answer {
  const { id, modelId } = result.response ?? {};
  const completion = withoutUndefined({
    content: result.content,
    providerMetadata: result.providerMetadata,
    response: id === undefined && modelId === undefined ? undefined : { id, modelId },
  }) as unknown as Completion;
  const problem = findUnrepresentable(completion) ?? misshapen(result, completion);
  if (problem) {
    throw new StepfoldError(
      'bad_completion',
      `expected a completion as providers of the AI SDK's v4 give it, but ${problem}; report it to the provider`,
    );
  }
  const { unified, raw } = result.finishReason;
  return {
    completion,
    calls: toolCalls(completion).map((call) => ({ toolCallId: call.toolCallId, name: call.toolName })),
    finishReason: { unified, ...(raw !== undefined && { raw }) },
    usage: {
      inputTokens: count(result.usage.inputTokens.total),
      outputTokens: count(result.usage.outputTokens.total),
      cachedInputTokens: count(result.usage.inputTokens.cacheRead),
    },
  };
}

const text = z.string();
const partSchema = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text'), text }),
  z.looseObject({ type: z.literal('reasoning'), text }),
  z.looseObject({ type: z.literal('tool-call'), toolCallId: text.min(1), toolName: text, input: text }),
  z.looseObject({
    type: z.enum(['custom', 'file', 'reasoning-file', 'source', 'tool-result', 'tool-approval-request']),
  }),
]);
const answerSchema = z.looseObject({
  content: z.array(partSchema),
  finishReason: z.looseObject({ unified: text, raw: text.optional() }),
  usage: z.looseObject({ inputTokens: z.looseObject({}), outputTokens: z.looseObject({}) }),
});

/** What is wrong with the shape of an answer: what the log keeps of it must be read back. */
function misshapen(
  { finishReason, usage }: LanguageModelV4GenerateResult,
  { content }: Completion,
): string | undefined {
  const checked = answerSchema.safeParse({ content, finishReason, usage });
  return checked.success ? undefined : z.prettifyError(checked.error);
}

/** The calls that are ours to execute, in the order of the completion. */
export function toolCalls(completion: Completion) {
  return completion.content
    .filter((part) => part.type === 'tool-call')
    .filter((part) => !part.providerExecuted);
}

/** The text of a completion, its parts joined. */
export function textOf(completion: Completion): string {
  return completion.content
    .filter((part) => part.type === 'text')
    .map((part) => part.text)
    .join('');
}

function count(tokens: number | undefined): number {
  return tokens !== undefined && Number.isFinite(tokens) && tokens > 0 ? Math.round(tokens) : 0;
}

/** Providers leave out what they do not have by `undefined`, and give bytes, dates and URLs: none of it is JSON. */
function withoutUndefined(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof Date) return value.toISOString();
  if (value instanceof URL) return value.href;
  if (Array.isArray(value)) return value.map((item) => (item === undefined ? null : withoutUndefined(item)));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) =>
      item === undefined ? [] : [[key, withoutUndefined(item)]],
    ),
  );
}

import type {
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultOutput,
  LanguageModelV4ToolResultPart,
} from '@ai-sdk/provider';
import { findUnrepresentable, type Json, MAX_DEPTH } from '../core/json.ts';
import type { EntryResult } from '../core/transcript.ts';
import type { Completion } from './completion.ts';
import { userContent } from './user-content.ts';

/** A transcript entry whose payloads have been fetched. */
export type LoadedEntry =
  | { role: 'base'; messages: Json }
  | { role: 'user'; content: Json }
  | { role: 'assistant'; completion: Completion }
  | { role: 'tool'; results: (Omit<EntryResult, 'payload'> & { value?: Json })[] };

/** The prompt that a provider is sent, as the AI SDK has it in JSON. `limitOf` is the most bytes of a tool's result. */
export function promptOf(
  instructions: string,
  entries: readonly LoadedEntry[],
  limitOf: (tool: string) => number,
): LanguageModelV4Prompt {
  const system: LanguageModelV4Message[] =
    instructions === '' ? [] : [{ role: 'system', content: instructions }];
  return [...system, ...entries.flatMap((entry) => messagesOf(entry, limitOf))];
}

function messagesOf(entry: LoadedEntry, limitOf: (tool: string) => number): LanguageModelV4Message[] {
  switch (entry.role) {
    case 'base':
      return entry.messages as unknown as LanguageModelV4Message[];
    case 'user':
      return [{ role: 'user', content: userContent(entry.content) }];
    case 'assistant':
      return [{ role: 'assistant', content: assistantContent(entry.completion) }];
    case 'tool':
      return [
        { role: 'tool', content: entry.results.map((result) => toolResult(result, limitOf(result.name))) },
      ];
  }
}

type AssistantContent = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'];

/** What the model said, given back: metadata returns as options, and a call's input is parsed. */
function assistantContent(completion: Completion): AssistantContent {
  return completion.content.flatMap((part): AssistantContent => {
    const options = part.providerMetadata && { providerOptions: part.providerMetadata };
    switch (part.type) {
      case 'text':
        return [{ type: 'text', text: part.text, ...options }];
      case 'reasoning':
        return [{ type: 'reasoning', text: part.text, ...options }];
      case 'reasoning-file':
      case 'file':
        return [{ type: part.type, data: part.data, mediaType: part.mediaType, ...options }];
      case 'custom':
        return [{ type: 'custom', kind: part.kind, ...options }];
      case 'tool-call': {
        const { toolCallId, toolName, providerExecuted } = part;
        const executed = providerExecuted === undefined ? {} : { providerExecuted };
        return [
          {
            type: 'tool-call',
            toolCallId,
            toolName,
            input: parsedInput(part.input),
            ...executed,
            ...options,
          },
        ];
      }
      case 'tool-result': {
        const { toolCallId, toolName, result, isError } = part;
        const type = isError ? 'error-json' : 'json';
        return [{ type: 'tool-result', toolCallId, toolName, output: { type, value: result }, ...options }];
      }
      default:
        return [];
    }
  });
}

/**
 * Providers refuse a call whose input is not an object, and break at one that nests too deep; the model is told in its
 * result what was wrong with it.
 */
function parsedInput(input: string): unknown {
  try {
    const parsed: unknown = JSON.parse(input === '' ? '{}' : input);
    const isObject = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed);
    const isShallow = input.length <= MAX_DEPTH || findUnrepresentable(parsed) === undefined;
    return isObject && isShallow ? parsed : { unparsed: input };
  } catch {
    return { unparsed: input };
  }
}

function toolResult(
  result: Omit<EntryResult, 'payload'> & { value?: Json },
  limit: number,
): LanguageModelV4ToolResultPart {
  return {
    type: 'tool-result',
    toolCallId: result.toolCallId,
    toolName: result.name,
    output: outputOf(result, limit),
  };
}

function outputOf(
  result: { source: string; value?: Json; error?: { message: string } },
  limit: number,
): LanguageModelV4ToolResultOutput {
  if (result.source === 'denied') {
    return { type: 'execution-denied', ...(result.error && { reason: result.error.message }) };
  }
  if (result.error) return { type: 'error-text', value: cut(result.error.message, limit) };
  const value = result.value ?? null;
  if (typeof value === 'string') return { type: 'text', value: cut(value, limit) };
  if (mostBytes(value) > limit) {
    const text = JSON.stringify(value);
    if (Buffer.byteLength(text) > limit) return { type: 'text', value: cut(text, limit) };
  }
  return {
    type: 'json',
    value: value as Extract<LanguageModelV4ToolResultOutput, { type: 'json' }>['value'],
  };
}

/** No fewer than the bytes of its JSON, and quicker to know. */
function mostBytes(value: Json): number {
  if (typeof value === 'string') return 2 + value.length * BYTES_PER_UNIT;
  if (typeof value !== 'object' || value === null) return BYTES_OF_A_NUMBER;
  let sum = 2;
  for (const [key, each] of Object.entries(value))
    sum += key.length * BYTES_PER_UNIT + mostBytes(each as Json) + 4;
  return sum;
}

/** In JSON a control character is six bytes. */
const BYTES_PER_UNIT = 6;
const BYTES_OF_A_NUMBER = 32;

/** At most `limit` bytes, on a whole character, with a line that says how much is missing. The log keeps the rest. */
function cut(text: string, limit: number): string {
  if (text.length * BYTES_PER_UNIT <= limit) return text;
  const bytes = Buffer.from(text);
  if (bytes.length <= limit) return text;
  let end = limit;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return `${bytes.subarray(0, end).toString()}\n[cut: ${bytes.length - end} of ${bytes.length} bytes are not shown]`;
}

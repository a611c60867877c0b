import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4Prompt,
} from '@ai-sdk/provider';
import { StepfoldError } from '../core/errors.ts';
import { type ScriptedUsage, usageOf } from './scripted-usage.ts';

/** What one scripted call answers: text, tool calls, or both. */
export interface ScriptedAnswer {
  readonly text?: string;
  /** `args` is sent as its JSON text. */
  readonly toolCalls?: readonly { readonly name: string; readonly args: unknown }[];
  /** @default counted from the text of prompt and answer, four characters to a token */
  readonly usage?: ScriptedUsage;
}

/** A call that fails: `error` is thrown as it is. */
export interface ScriptedFailure {
  readonly error: unknown;
}

/** One item of a script: a final text, an answer, a failure, or a function of the prompt that gives one of these. */
export type ScriptItem =
  | string
  | ScriptedAnswer
  | ScriptedFailure
  | ((prompt: LanguageModelV4Prompt) => string | ScriptedAnswer | ScriptedFailure);

export interface ScriptedModelOptions {
  /** How long each call takes, in ms; it ends early when the call is aborted. @default 0 */
  delayMs?: number;
  /** @default 'scripted' */
  modelId?: string;
}

/**
 * A model that needs no network: each call answers with the script item whose index is the number of assistant
 * messages already in the prompt. It keeps no state, so that a run goes on after a restart where it was.
 *
 * A call beyond the last item throws a StepfoldError `script_ended`.
 *
 * @example
 * scriptedModel([{ toolCalls: [{ name: 'add', args: { a: 1, b: 2 } }] }, 'The sum is 3.'])
 */
export function scriptedModel(
  script: readonly ScriptItem[],
  options: ScriptedModelOptions = {},
): LanguageModelV4 {
  const { delayMs = 0, modelId = 'scripted' } = options;
  return {
    specificationVersion: 'v4',
    provider: 'scripted',
    modelId,
    supportedUrls: {},
    async doGenerate({ prompt, abortSignal }: LanguageModelV4CallOptions) {
      await pause(delayMs, abortSignal);
      return generate(script, prompt);
    },
    doStream() {
      return Promise.reject(
        new StepfoldError(
          'no_streaming',
          'expected a call of doGenerate(); a scripted model does not stream',
        ),
      );
    },
  };
}

function generate(
  script: readonly ScriptItem[],
  prompt: LanguageModelV4Prompt,
): LanguageModelV4GenerateResult {
  const index = prompt.filter((message) => message.role === 'assistant').length;
  const item = script[index];
  if (item === undefined) {
    throw new StepfoldError(
      'script_ended',
      `expected at most ${script.length} model calls, as many as the script has items, but the prompt already holds ` +
        `${index} assistant messages; add an item, or end the script with a final text`,
    );
  }
  const given = typeof item === 'function' ? item(prompt) : item;
  const answer = typeof given === 'string' ? { text: given } : given;
  if ('error' in answer) throw answer.error;

  const content = contentOf(answer, index);
  const calls = answer.toolCalls?.length ?? 0;
  return {
    content,
    finishReason: calls > 0 ? { unified: 'tool-calls', raw: 'tool_calls' } : { unified: 'stop', raw: 'stop' },
    usage: usageOf(prompt, content, answer.usage),
    warnings: [],
  };
}

/** Ids depend on the place in the script alone: the same call has the same id in every process and every run. */
function contentOf(answer: ScriptedAnswer, index: number): LanguageModelV4Content[] {
  const text: LanguageModelV4Content[] =
    answer.text === undefined ? [] : [{ type: 'text', text: answer.text }];
  const calls = (answer.toolCalls ?? []).map(
    (call, position): LanguageModelV4Content => ({
      type: 'tool-call',
      toolCallId: `call_${index}_${position}`,
      toolName: call.name,
      input: JSON.stringify(call.args ?? {}),
    }),
  );
  return [...text, ...calls];
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  if (ms <= 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

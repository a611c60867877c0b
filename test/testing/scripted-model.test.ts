import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from '@ai-sdk/provider';
import { describe, expect, test } from 'vitest';
import { isStepfoldError } from '../../lib/core/errors.ts';
import { type ScriptItem, scriptedModel } from '../../lib/testing/index.ts';

const user: LanguageModelV4Prompt[number] = { role: 'user', content: [{ type: 'text', text: 'Why?' }] };

/** A prompt in which the model has already answered `answers` times. */
function promptAfter(answers: number): LanguageModelV4Prompt {
  const assistant = { role: 'assistant' as const, content: [{ type: 'text' as const, text: 'hm' }] };
  return [user, ...Array.from({ length: answers }, () => assistant)];
}

function call(script: ScriptItem[], answers = 0, options: Partial<LanguageModelV4CallOptions> = {}) {
  return scriptedModel(script).doGenerate({ prompt: promptAfter(answers), ...options });
}

describe('a scripted model', () => {
  test('answers with the item at the number of assistant messages, in any order of calls', async () => {
    const script = ['first', 'second', 'third'];
    expect((await call(script, 2)).content).toEqual([{ type: 'text', text: 'third' }]);
    expect((await call(script, 0)).content).toEqual([{ type: 'text', text: 'first' }]);
    expect((await call(script, 0)).content).toEqual([{ type: 'text', text: 'first' }]);
  });

  test('gives text before tool calls, whose ids are the same at every call', async () => {
    const script = [
      {
        text: 'let me see',
        toolCalls: [
          { name: 'a', args: { n: 1 } },
          { name: 'b', args: {} },
        ],
      },
    ];
    const once = await call(script);
    expect(once.content).toEqual([
      { type: 'text', text: 'let me see' },
      { type: 'tool-call', toolCallId: 'call_0_0', toolName: 'a', input: '{"n":1}' },
      { type: 'tool-call', toolCallId: 'call_0_1', toolName: 'b', input: '{}' },
    ]);
    expect(once.finishReason.unified).toBe('tool-calls');
    expect(await call(script)).toEqual(once);
  });

  test('asks a function of the prompt', async () => {
    const script: ScriptItem[] = ['', (prompt) => `${prompt.length} messages`];
    const { content, finishReason } = await call(script, 1);
    expect(content).toEqual([{ type: 'text', text: '2 messages' }]);
    expect(finishReason.unified).toBe('stop');
  });

  test('throws the error of an item as it is, also from a function', async () => {
    const error = new Error('overloaded');
    await expect(call([{ error }])).rejects.toBe(error);
    await expect(call([() => ({ error })])).rejects.toBe(error);
  });

  test('says that the script has run out, and how long it is', async () => {
    const failure = await Promise.resolve(call(['only'], 1)).catch((error: unknown) => error);
    expect(isStepfoldError(failure, 'script_ended')).toBe(true);
    expect(String(failure)).toContain('at most 1 model calls');
  });

  test('does not stream', async () => {
    const streamed = scriptedModel(['x']).doStream({ prompt: promptAfter(0) });
    await expect(streamed).rejects.toMatchObject({ code: 'no_streaming' });
  });

  test('counts usage from the text, grows with the prompt, and takes what it is told', async () => {
    const short = await call(['four'], 0);
    const long = await call(['x', 'four'], 1);
    expect(short.usage.inputTokens.total).toBeGreaterThan(5);
    expect(long.usage.inputTokens.total).toBeGreaterThan(short.usage.inputTokens.total ?? 0);
    expect(long.usage.outputTokens).toEqual(short.usage.outputTokens);
    const told = await call([{ text: 'x', usage: { inputTokens: 7, outputTokens: 9 } }]);
    expect([told.usage.inputTokens.total, told.usage.outputTokens.total]).toEqual([7, 9]);
  });
});

describe('the delay of a scripted model', () => {
  test('passes before the answer', async () => {
    const started = performance.now();
    await scriptedModel(['x'], { delayMs: 60 }).doGenerate({ prompt: promptAfter(0) });
    expect(performance.now() - started).toBeGreaterThan(50);
  });

  test('ends at once with the reason of an abort', async () => {
    const controller = new AbortController();
    const reason = new Error('time is up');
    const model = scriptedModel(['x'], { delayMs: 60_000 });
    const answer = model.doGenerate({ prompt: promptAfter(0), abortSignal: controller.signal });
    controller.abort(reason);
    await expect(answer).rejects.toBe(reason);
  });

  test('does not begin after an abort', async () => {
    await expect(call(['x'], 0, { abortSignal: AbortSignal.abort('gone') })).rejects.toBe('gone');
  });
});

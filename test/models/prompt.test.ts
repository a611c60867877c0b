import type { LanguageModelV4GenerateResult } from '@ai-sdk/provider';
import { expect, test } from 'vitest';
import type { Json } from '../../lib/core/json.ts';
import { type Completion, readAnswer } from '../../lib/models/completion.ts';
import { estimatedTokens } from '../../lib/models/estimated-tokens.ts';
import { withFileUrls } from '../../lib/models/file-urls.ts';
import { promptOf } from '../../lib/models/prompt.ts';

type Content = LanguageModelV4GenerateResult['content'];

function answered(content: Content): Completion {
  const count = { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0, text: 1, reasoning: 0 };
  const { completion } = readAnswer({
    content,
    finishReason: { unified: 'stop', raw: undefined },
    usage: { inputTokens: count, outputTokens: count },
    warnings: [],
  });
  return JSON.parse(JSON.stringify(completion)) as Completion;
}

const promptOfAnswer = (content: Content) =>
  withFileUrls(promptOf('', [{ role: 'assistant', completion: answered(content) }], () => 1_000))[0]?.content;

const promptOfUser = (content: Json) => promptOf('', [{ role: 'user', content }], () => 1_000);

test('files that a model made go back to it: bytes as base64, addresses as URL', () => {
  const bytes = new Uint8Array([0, 255, 7]).subarray(1);
  const url = new URL('https://example.com/f.png');
  const parts = promptOfAnswer([
    { type: 'file', mediaType: 'image/png', data: { type: 'data', data: bytes } },
    { type: 'reasoning-file', mediaType: 'image/png', data: { type: 'url', url } },
  ]);
  expect(parts).toEqual([
    { type: 'file', mediaType: 'image/png', data: { type: 'data', data: '/wc=' } },
    { type: 'reasoning-file', mediaType: 'image/png', data: { type: 'url', url } },
  ]);
});

test('what a provider did itself goes back with its results, errors as such', () => {
  const call = { type: 'tool-call', toolCallId: 's1', toolName: 'web', input: '{"q":1}' } as const;
  const result = { type: 'tool-result', toolCallId: 's1', toolName: 'web', result: { code: 'x' } } as const;
  expect(
    promptOfAnswer([
      { ...call, providerExecuted: true },
      { ...result, isError: true },
    ]),
  ).toEqual([
    { ...call, input: { q: 1 }, providerExecuted: true },
    {
      type: 'tool-result',
      toolCallId: 's1',
      toolName: 'web',
      output: { type: 'error-json', value: { code: 'x' } },
    },
  ]);
});

test('a prompt is JSON until its provider gets it, so that a migration can copy it', () => {
  const content = [{ type: 'file', mediaType: 'image/png', data: 'https://example.com/a b.png' }];
  const prompt = promptOfUser(content);
  expect(structuredClone(prompt)).toEqual(JSON.parse(JSON.stringify(prompt)));
  expect(withFileUrls(prompt)[0]?.content).toEqual([
    {
      ...content[0],
      data: {
        type: 'url',
        url: new URL('https://example.com/a%20b.png'),
        originalUrl: 'https://example.com/a b.png',
      },
    },
  ]);
});

test('text is estimated by its length, a file by what files cost', () => {
  const file = { type: 'file', mediaType: 'image/png', data: 'A'.repeat(4_000_000) };
  expect(estimatedTokens(promptOfUser('x'.repeat(4_000)))).toBeCloseTo(1_000, -2);
  expect(estimatedTokens(promptOfUser([file]))).toBe(1_600);
  const text = { type: 'file', mediaType: 'text/plain', data: { type: 'text', text: 'x'.repeat(40_000) } };
  expect(estimatedTokens(promptOfUser([text]))).toBeGreaterThan(10_000);
});

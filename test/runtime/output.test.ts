import { expect, test } from 'vitest';
import * as z from 'zod';
import { parseOutput } from '../../lib/runtime/output.ts';
import { sendMessage } from '../../lib/runtime/tell-run.ts';
import { scene } from '../support/scene.ts';

const schema = z.object({ n: z.number().default(1) });

test.each([
  ['JSON', '{"n":2}', 2],
  ['JSON with a default to be filled in', ' {} ', 1],
  ['JSON in a code block', '```json\n{"n":2}\n```', 2],
  ['JSON in a code block without a language', '\n```\n{"n":2}\n```\n', 2],
])('an answer that is %s is taken', async (_, text, n) => {
  expect(await parseOutput(schema, text)).toEqual({ value: { n } });
});

test.each([
  ['no JSON', 'two', /it is not JSON/],
  ['JSON with words about it', 'Here: {"n":2}', /it is not JSON/],
  ['JSON that misfits', '{"n":"2"}', /expected number/],
  ['a code block that does not end', '```json\n{"n":2}', /it is not JSON/],
])('an answer that is %s is a misfit that says why', async (_, text, words) => {
  expect(await parseOutput(schema, text)).toEqual({ misfit: expect.stringMatching(words) as string });
});

test('a schema that throws makes a misfit, not a worker that dies', async () => {
  const throwing = schema.refine(() => {
    throw new Error('no such row');
  });
  expect(await parseOutput(throwing, '{}')).toEqual({
    misfit: expect.stringContaining('no such row') as string,
  });
});

test('an answer of many empty lines is read as fast as any other', async () => {
  const began = performance.now();
  await parseOutput(schema, `\`\`\`\n${'\n'.repeat(200_000)}x`);
  expect(performance.now() - began).toBeLessThan(1_000);
});

test('a misfit in a hundred thousand places is told in few words', async () => {
  const text = JSON.stringify(Array.from({ length: 100_000 }, () => 'x'));
  const parsed = await parseOutput(z.array(z.number()), text);
  expect('misfit' in parsed && parsed.misfit.length).toBeLessThan(5_000);
});

test('each message of a conversation has its own patience with misfits', async () => {
  const script = Array.from({ length: 20 }, () => 'no JSON');
  const { drive, view, rt, run } = await scene({ script, output: schema, conversation: true });
  await drive();
  expect((await view()).usage.modelCalls).toBe(4);
  await sendMessage(rt, run, { content: 'once more' });
  await drive();
  expect((await view()).usage.modelCalls).toBe(8);
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as z from 'zod';
import type { Json } from '../../lib/core/json.ts';
import { scriptedModel } from '../../lib/testing/index.ts';
import { defineTool } from '../../lib/tool.ts';
import { callOnce, scene } from '../support/scene.ts';

/** Runs a tool that returns a value, and gives what the log keeps of it and what the model was told. */
async function carried(value: unknown, spillAt?: number) {
  let calls = 0;
  const give = defineTool({
    name: 'give',
    description: 'Give.',
    input: z.object({}),
    effect: 'once',
    run: () => {
      calls++;
      return value;
    },
  });
  const prompts: string[] = [];
  const model = scriptedModel(callOnce('give'));
  const played = await scene({
    tools: [give],
    model: {
      ...model,
      doGenerate: (options) => {
        const last = options.prompt.at(-1);
        if (last?.role === 'tool') prompts.push(JSON.stringify(last.content));
        return model.doGenerate(options);
      },
    },
    ...(spillAt !== undefined && { spillAt }),
  });
  await played.drive();
  const returned = (await played.events()).find((event) => event.type === 'tool_returned');
  const bytes = returned?.resultRef && (await played.world.blobs.get(played.run, returned.resultRef.sha256));
  const kept = bytes ? (JSON.parse(Buffer.from(bytes).toString()) as Json) : returned?.result;
  return { ...played, calls, returned, kept, told: prompts[0] ?? '' };
}

test.each([300_000, 2_000_000, 20_000_000])(
  'a result of %i bytes is stored whole, its effect not repeated',
  async (size) => {
    const text = `${'ü'.repeat(size / 2)}!`;
    const { calls, kept, returned, told, view, verify } = await carried({ text });
    expect(calls).toBe(1);
    expect(kept).toEqual({ text });
    expect(returned?.resultRef?.bytes).toBeGreaterThan(size);
    expect(told.length).toBeLessThan(120_000);
    expect(told).toMatch(/\[cut: \d+ of \d+ bytes are not shown\]/);
    expect((await view()).status).toBe('completed');
    expect(await verify()).toEqual([]);
  },
);

test('a payload exactly at the threshold stays in its event, one byte more is spilled', async () => {
  const at = async (length: number) => (await carried('x'.repeat(length), 1_000)).returned;
  expect((await at(998))?.resultRef).toBeUndefined();
  expect((await at(999))?.resultRef).toMatchObject({ bytes: 1_001 });
});

const deep = (levels: number): Json =>
  Array.from({ length: levels }).reduce<Json>((inner) => [inner], 'core');
const AWKWARD: Record<string, Json> = {
  'NUL characters': 'a\u0000b',
  'lone surrogates': '\ud800 and \udfff',
  '2^53+1 in a string': '9007199254740993',
  'empty keys': { '': { '': '' } },
  'a key named __proto__': JSON.parse('{"__proto__":{"polluted":true},"constructor":1}') as Json,
  'a value that looks like a reference': { resultRef: { sha256: '0'.repeat(64), bytes: 1 }, ref: null },
  'nesting of 900 levels': deep(900),
  null: null,
};

test.each(Object.entries(AWKWARD))('%s come back identical, in place and spilled', async (_, value) => {
  for (const spillAt of [1, 8_192]) {
    const { kept, verify, view } = await carried({ value }, spillAt);
    expect(JSON.stringify(kept)).toBe(JSON.stringify({ value }));
    expect((await view()).status).toBe('completed');
    expect(await verify()).toEqual([]);
  }
});

test('any JSON value comes back identical', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.jsonValue({ maxDepth: 4, noUnicodeString: false } as never),
      fc.boolean(),
      async (value, spilled) => {
        const { kept } = await carried({ value }, spilled ? 1 : 8_192);
        expect(JSON.stringify(kept)).toBe(JSON.stringify({ value }));
      },
    ),
    { numRuns: 60 },
  );
});

test.each([
  ['NaN', Number.NaN, '$.value is NaN'],
  ['undefined', undefined, '$.value is undefined'],
  ['a BigInt', 1n, '$.value is a bigint'],
  ['a function', () => 1, '$.value is a function'],
  ['a Map', new Map(), '$.value is a Map'],
  ['a hole', Object.assign([1], { 2: 3 }), '$.value[1] is undefined'],
  ['nesting of 2,000 levels', deep(2_000), 'nested deeper than 1000 levels'],
])('%s is refused with its path, and the tool is not run again', async (_, value, words) => {
  const { calls, returned } = await carried({ value });
  expect(calls).toBe(1);
  expect(returned).toMatchObject({
    error: { code: 'result_not_json', message: expect.stringContaining(words) },
  });
});

test('a cycle is refused with its path', async () => {
  const value: { self?: unknown } = {};
  value.self = value;
  expect((await carried({ value })).returned?.error?.message).toContain('$.value.self is a cycle');
});

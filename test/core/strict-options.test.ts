import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '../../lib/agent.ts';
import { scriptedModel } from '../../lib/testing/index.ts';
import { defineTool } from '../../lib/tool.ts';

const tool = { name: 't', description: 'T.', input: z.object({}), run: () => 1 };
const agent = { name: 'a', revision: '1', instructions: '', model: scriptedModel([]) };

test.each<[string, () => unknown, string, RegExp]>([
  [
    'an approval that is no object',
    () => defineTool({ ...tool, approval: true as never }),
    'bad_tool',
    /options when, summary, risk, expiresIn, onExpiry[\s\S]*approval/,
  ],
  [
    'an unknown option of a tool',
    () => defineTool({ ...tool, retries: 3 } as never),
    'bad_tool',
    /options name, .*retry.*; got retries/,
  ],
  [
    'an unknown limit',
    () => defineAgent({ ...agent, limits: { modelCalls: 1 } as never }),
    'bad_agent',
    /options steps, tokens, costUsd, wallClock.*; got modelCalls/,
  ],
  ['a negative limit', () => defineAgent({ ...agent, limits: { steps: -1 } }), 'bad_agent', /limits\.steps/],
  [
    'a cost limit without prices',
    () => defineAgent({ ...agent, limits: { costUsd: 1 } }),
    'bad_agent',
    /prices/,
  ],
  [
    'a date in the input',
    () => defineTool({ ...tool, input: z.object({ at: z.date() }) }),
    'schema_not_json',
    /input of tool t/,
  ],
  [
    'an input that is no object',
    () => defineTool({ ...tool, input: z.string() }),
    'schema_not_json',
    /z\.object\(\)/,
  ],
  [
    'a transform in the input',
    () => defineTool({ ...tool, input: z.object({ n: z.string().transform(Number) }) }),
    'schema_not_json',
    /input of tool t/,
  ],
  [
    'two tools of one name',
    () => defineAgent({ ...agent, tools: [defineTool(tool), defineTool(tool)] }),
    'duplicate_tool',
    /two are called t/,
  ],
  ['a name with spaces', () => defineTool({ ...tool, name: 'a b' }), 'bad_tool', /letters, digits/],
  ['a timeout of an hour', () => defineTool({ ...tool, timeout: '1h' }), 'bad_tool', /15 minutes/],
  ['a duration that is none', () => defineTool({ ...tool, timeout: 'soon' }), 'bad_duration', /'30s'/],
  [
    'migrations with a hole',
    () => defineAgent({ ...agent, revision: '4', migrations: [{ from: '1', to: '2', migrate: (s) => s }] }),
    'migration_hole',
    /from 1 to 2/,
  ],
])('%s says what was expected', (_, define, code, words) => {
  let thrown: unknown;
  try {
    define();
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toMatchObject({ code, message: expect.stringMatching(words) });
});

test('a tool without an effect counts as once, and says so', () => {
  const made = defineTool(tool);
  expect(made.effect).toMatchObject({ kind: 'once', horizon: 60_000 });
  expect(made.warnings).toEqual([expect.stringContaining("counts as 'once'")]);
});

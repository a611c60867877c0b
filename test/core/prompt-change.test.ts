import { expect, test } from 'vitest';
import { describeChange } from '../../lib/core/prompt-change.ts';

const tool = (name: string, more: object = {}) => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: 'object' },
  ...more,
});
const base = {
  instructions: 'Be kind.\nBe brief.\nSay please.',
  tools: [tool('pay'), tool('ask')],
  model: 'small',
  settings: { temperature: 0 },
};

const said = (change: object) => describeChange(JSON.stringify(base), JSON.stringify({ ...base, ...change }));

test.each([
  [
    'a line of the instructions',
    { instructions: 'Be kind.\nBe thorough.\nSay please.' },
    ['line 2 of the instructions was: Be brief.', 'line 2 of the instructions is: Be thorough.'],
  ],
  [
    'a line more',
    { instructions: 'Be kind.\nBe brief.\nSay please.\nSay thanks.' },
    ['line 4 of the instructions is: Say thanks.'],
  ],
  ['a line less', { instructions: 'Be kind.\nSay please.' }, ['line 2 of the instructions was: Be brief.']],
  ['a tool that is gone', { tools: [tool('pay')] }, ['the tool ask is gone']],
  ['a tool that is new', { tools: [...base.tools, tool('see')] }, ['the tool see is new']],
  [
    'a tool under another name',
    { tools: [tool('pay'), tool('inquire')] },
    ['the tool ask is gone', 'the tool inquire is new'],
  ],
  [
    'what a tool says of itself',
    { tools: [tool('pay', { description: 'Pays.' }), tool('ask')] },
    ['the description of the tool pay differs'],
  ],
  [
    'what a tool takes',
    { tools: [tool('pay'), tool('ask', { inputSchema: { type: 'object', properties: {} } })] },
    ['the input of the tool ask differs'],
  ],
  ['the order of the tools', { tools: [tool('ask'), tool('pay')] }, ['the order of the tools differs']],
  ['the model', { model: 'large' }, ['the model was small and is large']],
  ['a setting', { settings: {} }, ['the settings were {"temperature":0} and are {}']],
  ['the output', { output: { type: 'object' } }, ['the schema of the output differs']],
  ['the revision alone', {}, ['the prompt is the same; only the revision differs']],
  [
    'several things',
    { model: 'large', tools: [tool('pay')] },
    ['the tool ask is gone', 'the model was small and is large'],
  ],
] as const)('%s is named', (_, change, words) => {
  expect(said(change)).toEqual(words);
});

test('of many differences the first are named, and how many more there are', () => {
  const instructions = Array.from({ length: 50 }, (_, n) => `Rule ${n}.`).join('\n');
  const words = said({ instructions });
  expect(words).toHaveLength(21);
  expect(words.at(-1)).toBe('and 33 more differences');
});

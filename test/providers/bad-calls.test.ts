import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { defineTool } from '../../lib/tool.ts';
import { anthropicService } from './anthropic-service.ts';
import { bedrockService } from './bedrock-service.ts';
import { openaiChatService, openaiService } from './openai-service.ts';
import { play } from './play.ts';
import type { Service } from './service.ts';
import { SERVICES } from './services.ts';

const line = z.object({ sku: z.string(), n: z.number() });

async function called(service: Service, name: string, args: string) {
  const ran: unknown[] = [];
  const order = defineTool({
    name: 'order',
    description: 'Order.',
    input: z.object({ lines: z.array(line), note: z.string().optional() }),
    effect: 'once',
    run: (given) => ran.push(given),
  });
  const script = [service.says({ calls: [{ id: 'id_01', name, args }] }), service.says({ text: 'done' })];
  const played = await play(service, { script, tools: [order] });
  await played.drive();
  expect(ran).toEqual([]);
  expect(await played.verify()).toEqual([]);
  return { ...played, returned: await played.eventsOf('tool_returned'), at: await played.view() };
}

const many = { lines: Array.from({ length: 5_000 }, () => ({ sku: 1 })) };
const BAD: [string, string, string, RegExp][] = [
  ['of a tool that does not exist', 'orders', '{}', /There is no tool "orders". The tools are: order\./],
  ['of a tool of a very long name', 'x'.repeat(500_000), '{}', /There is no tool "xxx/],
  ['that misfits', 'order', '{"lines":[{"sku":"a","n":"1"}]}', /lines\[0\]\.n/],
  ['with a property too many', 'order', '{"lines":[],"urgent":true}', /has no \.urgent\./],
  [
    'with one too many within',
    'order',
    '{"lines":[{"sku":"a","n":1,"to":"me"}]}',
    /has no \.lines\[0\]\.to\./,
  ],
  ['that misfits five thousand times', 'order', JSON.stringify(many), /characters cut/],
  ['that is huge', 'order', JSON.stringify({ lines: [], note: 'x'.repeat(1_000_000) }), /at most 1000000/],
  ['that nests deep', 'order', `{"lines":${'['.repeat(1_500)}${']'.repeat(1_500)}}`, /nested deeper/],
];

describe.each(Object.entries(SERVICES))('%s', (_, service) => {
  test.each(BAD)('a call %s goes back to the model, and nothing is sent', async (_, name, args, words) => {
    const { returned, at, received } = await called(service, name, args);
    expect(returned).toMatchObject([
      { source: 'invalid', error: { message: expect.stringMatching(words) as string } },
    ]);
    expect(returned[0]?.error?.message.length).toBeLessThan(4_100);
    expect(received[1]?.body).toContain('id_01');
    expect(at).toMatchObject({ status: 'completed', output: 'done', usage: { toolCalls: 0 } });
  });
});

const POLLUTING = '{"lines":[],"__proto__":{"polluted":true}}';

test.each([
  ['OpenAI', openaiService],
  ['OpenAI chat completions', openaiChatService],
])('%s: a call that names __proto__ goes back to the model', async (_, service) => {
  const { returned, at } = await called(service, 'order', POLLUTING);
  expect(returned).toMatchObject([
    { source: 'invalid', error: { message: expect.stringMatching(/called __proto__/) as string } },
  ]);
  expect(at.status).toBe('completed');
});

test.each([
  ['Anthropic', anthropicService],
  ['Bedrock', bedrockService],
])('%s: a call that names __proto__ is an answer that its own library refuses', async (_, service) => {
  const { returned, eventsOf } = await called(service, 'order', POLLUTING);
  expect(returned).toEqual([]);
  expect(await eventsOf('model_call_failed')).toMatchObject([{ error: { code: 'bad_answer' } }]);
});

test.each([
  ['a list', '[1]'],
  ['a text', '"now"'],
  ['nothing', ''],
  ['no JSON', '{lines:[]}'],
  ['deeper than any encoder bears', `{"lines":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
])('a call whose arguments are %s goes back to the model in a request that can be sent', async (_, args) => {
  for (const service of [openaiService, openaiChatService]) {
    const { returned, at, received } = await called(service, 'order', args);
    expect(returned).toMatchObject([{ source: 'invalid', error: { code: 'invalid_arguments' } }]);
    expect(received).toHaveLength(2);
    expect(at.status).toBe('completed');
  }
});

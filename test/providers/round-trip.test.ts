import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { defineTool } from '../../lib/tool.ts';
import { anthropicSays, anthropicService } from './anthropic-service.ts';
import { bedrockSays, bedrockService } from './bedrock-service.ts';
import type { Reply } from './fake-service.ts';
import { openaiChatService, openaiSays, openaiService } from './openai-service.ts';
import { play } from './play.ts';
import { SERVICES } from './services.ts';

const SIGNATURE = `${'EqQBCgIYAhIM+/'.repeat(40)}==`;
const ARGS = '{"text":"ü \\"q\\" \\\\ \\u2028","deep":{"z":[1,{"a":null}],"a":1e-7}}';
const args = JSON.parse(ARGS) as unknown;
const prices = { input: 3, output: 15 };
const usage = { fresh: 5, cached: 995, output: 7 };

/** What a service says with reasoning in it, and what of it must stand in the next request, byte for byte. */
const ROUND_TRIPS = {
  Anthropic: () => {
    const content = [
      { type: 'thinking', thinking: 'Let me see.\n ', signature: SIGNATURE },
      { type: 'redacted_thinking', data: `${SIGNATURE}redacted` },
      { type: 'text', text: ' I note two things. ' },
      { type: 'tool_use', id: 'toolu_01A', name: 'note', input: args },
      { type: 'tool_use', id: 'toolu_01B', name: 'note', input: { text: 'b' } },
    ];
    return {
      service: anthropicService,
      reply: anthropicSays(content, { stop: 'tool_use', usage }),
      returns: [JSON.stringify(content), '"tool_use_id":"toolu_01A"', '"tool_use_id":"toolu_01B"'],
    };
  },
  OpenAI: () => {
    const reasoning = {
      type: 'reasoning',
      id: 'rs_01',
      encrypted_content: SIGNATURE,
      summary: [
        { type: 'summary_text', text: '**First**' },
        { type: 'summary_text', text: 'then' },
      ],
    };
    const call = { type: 'function_call', call_id: 'call_01A', name: 'note', arguments: compact(ARGS) };
    const other = { type: 'function_call', call_id: 'call_01B', name: 'note', arguments: '{"text":"b"}' };
    return {
      service: openaiService,
      settings: { providerOptions: { openai: { store: false } } },
      reply: openaiSays([reasoning, { id: 'fc_01A', ...call }, { id: 'fc_01B', ...other }], { usage }),
      returns: [
        JSON.stringify(reasoning),
        `${JSON.stringify(call)},${JSON.stringify(other)}`,
        '"function_call_output","call_id":"call_01A"',
        '"function_call_output","call_id":"call_01B"',
      ],
    };
  },
  'OpenAI, which keeps its own items': () => {
    const call = { type: 'function_call', call_id: 'call_01', name: 'note', arguments: compact(ARGS) };
    return {
      service: openaiService,
      reply: openaiSays(
        [
          { type: 'reasoning', id: 'rs_01', encrypted_content: null, summary: [] },
          { id: 'fc_01', ...call },
        ],
        { usage },
      ),
      returns: [`{"type":"item_reference","id":"rs_01"},${JSON.stringify(call)}`],
    };
  },
  'OpenAI chat completions': () => ({
    service: openaiChatService,
    reply: openaiChatService.says({ calls: [{ id: 'call_01', name: 'note', args: compact(ARGS) }], usage }),
    returns: [
      `{"id":"call_01","type":"function","function":{"name":"note","arguments":${JSON.stringify(compact(ARGS))}}}`,
      '"tool_call_id":"call_01"',
    ],
  }),
  Bedrock: () => {
    const content = [
      { reasoningContent: { reasoningText: { text: 'Let me see.\n ', signature: SIGNATURE } } },
      { reasoningContent: { redactedContent: SIGNATURE } },
      { text: 'I note it.' },
      { toolUse: { toolUseId: 'tooluse_01', name: 'note', input: args } },
    ];
    return {
      service: bedrockService,
      reply: bedrockSays(content, { stop: 'tool_use', usage }),
      returns: [JSON.stringify(content), '"toolResult":{"toolUseId":"tooluse_01"'],
    };
  },
};

/** As a model writes arguments: `\u2028` is no escape of `JSON.stringify`. */
function compact(text: string): string {
  return JSON.stringify(JSON.parse(text));
}

const note = defineTool({
  name: 'note',
  description: 'Note.',
  input: z.looseObject({ text: z.string() }),
  effect: 'read',
  run: () => 'noted',
});

const WAYS = {
  'in place': {},
  'through a snapshot': { snapshotEvery: 1 },
  'through blobs': { spillAt: 1 },
  'through kills': { killed: true },
  'through all of it': { snapshotEvery: 1, spillAt: 1, killed: true },
};

describe.each(Object.entries(ROUND_TRIPS))('%s', (_, roundTrip) => {
  test.each(Object.entries(WAYS))('gets back what it said, %s', async (_, way) => {
    const { killed = false, ...options } = { killed: false, ...way };
    const { service, reply, returns, ...more } = roundTrip();
    const again = service.says({ calls: [{ id: 'id_02', name: 'note', args: '{"text":"c"}' }], usage });
    const script = [reply, again, service.says({ text: 'done', usage })];
    const played = await play(service, { script, tools: [note], ...more, ...options });
    await played.drive(killed ? played.freshProcess : undefined);
    expect(await played.view()).toMatchObject({
      status: 'completed',
      output: 'done',
      usage: { cachedInputTokens: 3 * 995, inputTokens: 3_000, outputTokens: 21 },
    });
    expect(await played.verify()).toEqual([]);
    for (const { body } of played.received.slice(1))
      for (const bytes of returns) expect(body).toContain(bytes);
  });
});

describe.each(Object.entries(SERVICES))('%s', (_, service) => {
  const call = service.says({ calls: [{ id: 'id_01', name: 'note', args: compact(ARGS) }] });
  const hung: Reply = { cut: 'hang' };

  test('a worker that dies in its call is followed by one that sends the same bytes', async () => {
    const script = [call, hung, service.says({ text: 'done' })];
    const played = await play(service, { script, tools: [note], spillAt: 1, snapshotEvery: 1, prices });
    const { received } = played;
    await played.killInCall(2);
    await played.drive(played.freshProcess);
    expect(received.map(({ body }) => body).slice(1)).toEqual([received[1]?.body, received[1]?.body]);
    const requests = await played.eventsOf('model_call_requested');
    expect(requests.map(({ step, attempt }) => [step, attempt])).toEqual([
      [1, 1],
      [3, 1],
      [3, 2],
    ]);
    expect(requests[2]?.requestHash).toBe(requests[1]?.requestHash);
    expect(await played.view()).toMatchObject({ status: 'completed', output: 'done' });
    // What was sent twice may be billed twice.
    const inputTokens = 200 + (requests[1]?.estimatedTokens ?? 0);
    expect((await played.view()).usage).toMatchObject({
      inputTokens,
      costUsd: expect.closeTo((inputTokens * prices.input + 20 * prices.output) / 1_000_000, 9) as number,
    });
  });
});

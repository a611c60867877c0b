import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { Settings } from '../../lib/agent.ts';
import { sha256 } from '../../lib/core/hash.ts';
import type { Json } from '../../lib/core/json.ts';
import { anthropicService } from './anthropic-service.ts';
import { bedrockSays, bedrockService } from './bedrock-service.ts';
import { openaiChatService, openaiService } from './openai-service.ts';
import { play } from './play.ts';
import type { Service } from './service.ts';
import { SERVICES } from './services.ts';

const settings: Settings = {
  maxOutputTokens: 1_234,
  temperature: 0.25,
  topP: 0.5,
  stopSequences: ['END'],
  toolChoice: { type: 'none' },
  providerOptions: {
    anthropic: { metadata: { userId: 'u-1' } },
    openai: { user: 'u-1', store: false },
    bedrock: { additionalModelRequestFields: { top_k: 7 } },
  },
};

const SENT: Record<string, [Service, Record<string, unknown>]> = {
  Anthropic: [
    anthropicService,
    { max_tokens: 1_234, temperature: 0.25, stop_sequences: ['END'], metadata: { user_id: 'u-1' } },
  ],
  // Its reasoning models know no temperature.
  OpenAI: [openaiService, { max_output_tokens: 1_234, user: 'u-1', store: false }],
  'OpenAI chat completions': [
    openaiChatService,
    {
      max_tokens: 1_234,
      temperature: 0.25,
      top_p: 0.5,
      stop: ['END'],
      user: 'u-1',
    },
  ],
  Bedrock: [
    bedrockService,
    {
      inferenceConfig: { maxTokens: 1_234, temperature: 0.25, topP: 0.5, stopSequences: ['END'] },
      additionalModelRequestFields: { top_k: 7 },
    },
  ],
};

test.each(Object.entries(SENT))(
  '%s is asked with the settings, and the log keeps them',
  async (_, [service, wanted]) => {
    const played = await play(service, { script: [service.says({ text: 'done' })], settings });
    await played.drive();
    expect(played.sent()[0]).toMatchObject(wanted);
    expect(await played.eventsOf('model_call_requested')).toMatchObject([{ params: { settings } }]);
  },
);

const output = z.object({ city: z.string(), people: z.number() });
const FITS = '{"city":"Bern","people":134000}';

describe.each(Object.entries(SERVICES))('%s', (_, service) => {
  test('a typed output is asked for by its schema, a misfit goes back, and the next answer is taken', async () => {
    const script = [
      service.says({ text: 'Bern, I think.' }),
      service.says({ text: '{"city":"Bern"}' }),
      service.says({ text: `\`\`\`json\n${FITS}\n\`\`\`` }),
    ];
    const played = await play(service, { script, output, spillAt: 1, snapshotEvery: 1 });
    await played.drive(played.freshProcess);
    expect(played.received[0]?.body).toContain('"people":{"type":"number"}');
    expect(played.received[1]?.body).toContain('it is not JSON');
    expect(played.received[2]?.body).toContain('people');
    const view = await played.view();
    expect(view).toMatchObject({ status: 'completed' });
    const kept = await played.world.blobs.get(played.run, sha256(FITS));
    expect(Buffer.from(kept ?? []).toString()).toBe(FITS);
    expect(await played.verify()).toEqual([]);
  });

  test('an output that never fits fails the run after a few answers', async () => {
    const script = Array.from({ length: 6 }, () => service.says({ text: 'Bern, I think.' }));
    const played = await play(service, { script, output });
    await played.drive();
    expect(played.received).toHaveLength(4);
    expect(await played.view()).toMatchObject({ status: 'failed', error: { code: 'output_misfit' } });
    expect(await played.verify()).toEqual([]);
  });
});

test('a typed output that comes as a call of a tool of the provider is read as the text that it is', async () => {
  const json = (input: unknown) =>
    bedrockSays([{ toolUse: { toolUseId: 'id_01', name: 'json', input } }], { stop: 'tool_use' });
  const script = [json({ city: 'Bern' }), json(JSON.parse(FITS))];
  const played = await play(bedrockService, { script, output });
  await played.drive();
  expect(played.sent()[0]).toMatchObject({ toolConfig: { tools: [{ toolSpec: { name: 'json' } }] } });
  expect(played.received[1]?.body).toContain('does not fit the schema');
  expect(await played.view()).toMatchObject({ status: 'completed', output: JSON.parse(FITS) });
});

const BYTES = Buffer.from('iVBORw0KGgoAAAANSUhEUg==', 'base64');
const PNG = BYTES.toString('base64');
const image = { type: 'file', mediaType: 'image/png' };
const url = 'https://example.com/a%20b.png?x=1';

const IN_DATA: Record<string, [Service, unknown]> = {
  Anthropic: [
    anthropicService,
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
  ],
  OpenAI: [openaiService, { type: 'input_image', image_url: `data:image/png;base64,${PNG}` }],
  'OpenAI chat completions': [
    openaiChatService,
    { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
  ],
  Bedrock: [bedrockService, { image: { format: 'png', source: { bytes: PNG } } }],
};

const AS_URL: Record<string, [Service, string, unknown]> = {
  Anthropic: [anthropicService, url, { type: 'image', source: { type: 'url', url } }],
  OpenAI: [openaiService, url, { type: 'input_image', image_url: url }],
  'OpenAI chat completions': [openaiChatService, url, { type: 'image_url', image_url: { url } }],
  Bedrock: [
    bedrockService,
    's3://bucket/a.png',
    { image: { format: 'png', source: { s3Location: { uri: 's3://bucket/a.png' } } } },
  ],
};

/** The text of what must stand in a request after the text of the input. */
const after = (part: unknown) => JSON.stringify(part).slice(0, -1);

async function firstRequest(service: Service, input: Json): Promise<string> {
  const script = [service.errors.overloaded, service.says({ text: 'done' })];
  const played = await play(service, { script, input, spillAt: 1, snapshotEvery: 1 });
  await played.drive(played.freshProcess);
  expect(await played.view()).toMatchObject({ status: 'completed' });
  expect(played.received[1]?.body).toBe(played.received[0]?.body);
  return played.received[0]?.body ?? '';
}

test.each(Object.entries(IN_DATA))(
  '%s gets a file that is base64 in the input',
  async (_, [service, wanted]) => {
    for (const data of [PNG, { type: 'data', data: PNG }, `data:image/png;base64,${PNG}`]) {
      const body = await firstRequest(service, [
        { type: 'text', text: 'What is it?' },
        { ...image, data },
      ]);
      expect(body).toContain(after(wanted));
      expect(body).toContain('What is it?');
    }
  },
);

test.each(Object.entries(AS_URL))(
  '%s gets a file that is a URL in the input',
  async (_, [service, at, wanted]) => {
    for (const data of [at, { type: 'url', url: at }]) {
      expect(await firstRequest(service, [{ ...image, data }])).toContain(after(wanted));
    }
  },
);

test('a file that its provider does not take is told to a person', async () => {
  const played = await play(bedrockService, { script: [], input: [{ ...image, data: url }] });
  await played.drive();
  expect((await played.view()).interrupts).toMatchObject([
    { reason: 'provider_blocked', error: { message: expect.stringContaining('File URL data') as string } },
  ]);
});

test.each<[string, Json]>([
  ['no list of parts', { type: 'text', text: 'x' }],
  ['an empty list', []],
  ['a list with something else in it', [{ type: 'text', text: 'x' }, 7]],
  ['a file whose bytes are no JSON', [{ ...image, data: { 0: 137, 1: 80 } }]],
  ['a file without a kind', [{ type: 'file', data: PNG }]],
  ['a file at an address that is none', [{ ...image, data: { type: 'url', url: 'nowhere' } }]],
])('any other input is its JSON text: %s', async (_, input) => {
  const played = await play(anthropicService, { script: [anthropicService.says({ text: 'done' })], input });
  await played.drive();
  expect(played.sent()[0]).toMatchObject({
    messages: [{ role: 'user', content: [{ type: 'text', text: JSON.stringify(input) }] }],
  });
});

test('bytes that are no JSON are refused at the start, with the place', async () => {
  const input = [{ ...image, data: new Uint8Array(BYTES) }] as never;
  await expect(play(anthropicService, { script: [], input })).rejects.toMatchObject({
    code: 'not_json',
    message: expect.stringContaining('$[0].data is a Uint8Array') as string,
  });
});

import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { defineTool } from '../../lib/tool.ts';
import { anthropicService } from './anthropic-service.ts';
import type { Reply } from './fake-service.ts';
import { openaiService } from './openai-service.ts';
import { type InvocationMs, play } from './play.ts';
import { SERVICES } from './services.ts';

const START = Date.UTC(2026, 0, 1);

describe.each(Object.entries(SERVICES))('%s', (_, service) => {
  const { errors } = service;
  const done = service.says({ text: 'done' });
  const note = (text: string) => ({ id: `id-${text}`, name: 'note', args: JSON.stringify({ text }) });

  async function blocked(script: readonly Reply[], invocationMs?: InvocationMs) {
    const played = await play(service, { script, ...(invocationMs !== undefined && { invocationMs }) });
    await played.drive();
    const view = await played.view();
    expect(await played.verify()).toEqual([]);
    const told = played.world.notices().filter(({ reason }) => reason === 'provider_blocked');
    expect(new Set(told.map(({ interruptId }) => interruptId))).toEqual(
      new Set([view.interrupts[0]?.interruptId]),
    );
    return { ...played, at: view, failures: await played.eventsOf('model_call_failed') };
  }

  test.each([
    ['in seconds', '600'],
    ['as a date', new Date(START + 600_000).toUTCString()],
  ])('a 429 with retry-after %s is a durable wait of just that long', async (_, said) => {
    const played = await play(service, { script: [errors.rateLimited({ 'retry-after': said }), done] });
    const began = performance.now();
    await played.drive();
    expect(performance.now() - began).toBeLessThan(5_000);
    const [failed] = await played.eventsOf('model_call_failed');
    expect(failed).toMatchObject({
      error: { code: 'rate_limited' },
      retryAt: new Date(START + 600_000).toISOString(),
    });
    expect(played.world.clock.now()).toBeGreaterThanOrEqual(START + 600_000);
    expect(await played.view()).toMatchObject({ status: 'completed', output: 'done' });
    expect(played.received).toHaveLength(2);
    expect(played.received[1]?.body).toBe(played.received[0]?.body);
  });

  test.each([
    ['a rate limit without retry-after', 'rate_limited', errors.rateLimited({})],
    ['an overload', 'overloaded', errors.overloaded],
    ['an error of the service', 'overloaded', errors.broken],
  ] as const)(
    '%s is waited out longer each time, and a person is asked after four',
    async (_, cause, reply) => {
      const { at, failures, received, resume, drive, view } = await blocked([
        reply,
        reply,
        reply,
        reply,
        done,
      ]);
      expect(received).toHaveLength(4);
      const waits = failures.map(({ at, retryAt }) => retryAt && Date.parse(retryAt) - Date.parse(at));
      expect(waits).toEqual([
        expect.closeTo(750, -3),
        expect.closeTo(1_500, -3.4),
        expect.closeTo(3_000, -3.7),
        undefined,
      ]);
      expect(at).toMatchObject({
        status: 'paused',
        interrupts: [{ reason: 'provider_blocked', facts: { cause } }],
      });
      await resume();
      await drive();
      expect(await view()).toMatchObject({ status: 'completed', output: 'done' });
      expect(new Set(received.map(({ body }) => body)).size).toBe(1);
    },
  );

  test.each([
    ['cut in the middle of its body', 'body', 'cut_off'],
    ['that ends in its middle', 'end', 'cut_off'],
    ['that never begins', 'before', 'cut_off'],
  ] as const)('an answer %s is no completed call: the same bytes are sent again', async (_, cut, code) => {
    // The words of a cut answer are the model's, and say nothing about the provider.
    const text = 'Your billing, the quota and a prompt is too long.'.repeat(20);
    const played = await play(service, { script: [{ ...service.says({ text }), cut }, done] });
    await played.drive();
    expect(await played.eventsOf('model_call_failed')).toMatchObject([{ error: { code } }]);
    expect(await played.eventsOf('model_responded')).toHaveLength(1);
    expect(await played.view()).toMatchObject({ status: 'completed', output: 'done' });
    expect(played.received.map(({ body }) => body)).toEqual(Array(2).fill(played.received[0]?.body));
  });

  test.each([
    ['a quota that is used up', 'quota_used_up', errors.quota],
    ['a context that is too long', 'context_too_long', errors.tooLong],
    ['a refusal', 'refusal', service.says({ text: 'I will not.', finish: 'refusal' })],
  ] as const)('%s asks a person at once, who is told the cause', async (_, cause, reply) => {
    const { at, received, failures } = await blocked([reply]);
    expect(received).toHaveLength(1);
    expect(failures).toMatchObject([{ error: { code: cause } }]);
    expect(failures[0]?.retryAt).toBeUndefined();
    expect(at).toMatchObject({
      status: 'paused',
      interrupts: [{ reason: 'provider_blocked', facts: { cause } }],
    });
  });

  test('an empty answer is asked for again, then a person is', async () => {
    const empty = service.says({ text: '' });
    const once = await play(service, { script: [empty, done] });
    await once.drive();
    expect(await once.view()).toMatchObject({ status: 'completed', output: 'done' });
    const { at, received } = await blocked([empty, empty, empty, empty]);
    expect(received).toHaveLength(4);
    expect(at.interrupts).toMatchObject([{ reason: 'provider_blocked', facts: { cause: 'empty_answer' } }]);
  });

  test('a model that hangs is left after its time, and asked again', async () => {
    const hung: Reply = { cut: 'hang' };
    const played = await play(service, {
      script: [hung, done],
      invocationMs: ({ length }) => (length === 0 ? 200 : 60_000),
    });
    await played.drive();
    expect(await played.eventsOf('model_call_failed')).toMatchObject([{ error: { code: 'model_timeout' } }]);
    expect(await played.view()).toMatchObject({ status: 'completed', output: 'done' });
    const { at, failures } = await blocked([hung, hung, hung, hung], () => 50);
    expect(failures).toHaveLength(4);
    expect(at.interrupts).toMatchObject([{ reason: 'provider_blocked', facts: { cause: 'model_timeout' } }]);
  });

  test('a call that the token limit cuts is never run, the model is told, and after four in a row a person', async () => {
    const ran: string[] = [];
    const tool = defineTool({
      name: 'note',
      description: 'Note.',
      input: z.object({ text: z.string() }),
      effect: 'once',
      run: ({ text }) => {
        ran.push(text);
        return 'noted';
      },
    });
    const cut = (index: number) =>
      service.says({
        calls: [note(`whole ${index}`), { id: `cut ${index}`, name: 'note', args: '{"text":"ha' }],
        finish: 'length',
      });
    const once = await play(service, { script: [cut(1), done], tools: [tool] });
    await once.drive();
    expect(ran).toEqual(['whole 1']);
    expect(await once.eventsOf('tool_returned')).toMatchObject([
      { callId: '1.1', source: 'invalid', error: { code: 'cut_call' } },
      { callId: '1.0', source: 'executed' },
    ]);
    expect(once.received[1]?.body).toContain('cut at the token limit');
    expect((await once.view()).status).toBe('completed');

    const four = await play(service, { script: [1, 2, 3, 4, 5].map(cut), tools: [tool] });
    await four.drive();
    expect(four.received).toHaveLength(4);
    expect((await four.view()).interrupts).toMatchObject([
      { reason: 'provider_blocked', facts: { cause: 'cut_answers' } },
    ]);
    expect(await four.verify()).toEqual([]);
  });
});

test('an error that OpenAI tells in a response of its own is read like any other', async () => {
  const failed = (code: string): Reply => ({
    body: {
      id: 'resp_01',
      created_at: 1,
      model: 'gpt-5',
      status: 'failed',
      error: { type: code, code, message: 'The model failed.' },
      output: [],
    },
  });
  const script = [failed('server_error'), failed('rate_limit_exceeded'), failed('invalid_prompt')];
  const played = await play(openaiService, { script });
  await played.drive();
  const codes = (await played.eventsOf('model_call_failed')).map(({ error }) => error.code);
  expect(codes).toEqual(['overloaded', 'rate_limited', 'model_error']);
  expect((await played.view()).interrupts).toMatchObject([{ reason: 'provider_blocked' }]);
});

test('a wait that no clock can bear is not waited', async () => {
  const { errors, says } = anthropicService;
  const script = [errors.rateLimited({ 'retry-after': '99999999999999999' }), says({ text: 'done' })];
  const played = await play(anthropicService, { script });
  await played.drive();
  expect(await played.view()).toMatchObject({ status: 'completed', output: 'done' });
});

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { Reply } from './fake-service.ts';
import { play } from './play.ts';
import { SERVICES } from './services.ts';

const prices = { input: 10, cachedInput: 1, output: 100 };
const usage = { fresh: 700, cached: 300, output: 50 };
const COST = (700 * 10 + 300 * 1 + 50 * 100) / 1_000_000;

describe.each(Object.entries(SERVICES))('%s', (_, service) => {
  const done = service.says({ text: 'done', usage });

  async function used(script: readonly Reply[]) {
    const played = await play(service, { script, prices });
    await played.drive();
    expect(await played.verify()).toEqual([]);
    const [request] = await played.eventsOf('model_call_requested');
    const estimated = request?.estimatedTokens ?? 0;
    return { ...played, estimated, usage: (await played.view()).usage };
  }

  test('cached tokens are counted apart, and cost what the author says', async () => {
    const { usage, eventsOf } = await used([done]);
    const counted = { inputTokens: 1_000, cachedInputTokens: 300, outputTokens: 50 };
    expect(usage).toEqual({ ...counted, modelCalls: 1, toolCalls: 0, costUsd: expect.closeTo(COST, 9) });
    expect(await eventsOf('model_responded')).toMatchObject([{ usage: counted }]);
  });

  test.each([
    ['an empty answer', service.says({ text: ' ', usage })],
    ['a refusal', service.says({ text: 'I will not.', finish: 'refusal', usage })],
  ])('%s is booked as the provider counted it', async (_, reply) => {
    const { usage } = await used([reply, done]);
    const answers = usage.modelCalls;
    expect(usage).toMatchObject({
      inputTokens: 1_000 * answers,
      cachedInputTokens: 300 * answers,
      outputTokens: 50 * answers,
      costUsd: expect.closeTo(COST * answers, 9),
    });
  });

  test.each([
    ['cut in its body', { ...done, cut: 'body' }],
    ['cut before its first byte', { ...done, cut: 'before' }],
    ['of another shape', { body: [] }],
  ] as const)(
    'an answer %s is booked as it was estimated, since the provider may bill it',
    async (_, reply) => {
      const { usage, estimated } = await used([reply, done]);
      expect(estimated).toBeGreaterThan(0);
      expect(usage).toMatchObject({
        modelCalls: 2,
        inputTokens: 1_000 + estimated,
        costUsd: expect.closeTo(COST + (estimated * prices.input) / 1_000_000, 9),
      });
    },
  );

  test('four workers that die in their calls are booked, and then a person is asked', async () => {
    const hung: Reply = { cut: 'hang' };
    const played = await play(service, { script: [hung, hung, hung, hung, done], prices });
    for (const nth of [1, 2, 3, 4]) await played.killInCall(nth);
    await played.drive();
    const [request] = await played.eventsOf('model_call_requested');
    const inputTokens = 4 * (request?.estimatedTokens ?? 0);
    expect(inputTokens).toBeGreaterThan(0);
    const view = await played.view();
    expect(view.interrupts).toMatchObject([
      { reason: 'provider_blocked', facts: { cause: 'attempts_lost' } },
    ]);
    const costUsd = expect.closeTo((inputTokens * prices.input) / 1_000_000, 9) as number;
    expect(view.usage).toMatchObject({ modelCalls: 4, inputTokens, costUsd });
    expect(await played.verify()).toEqual([]);
  });

  test('a request that the service turned away costs nothing', async () => {
    const { usage } = await used([service.errors.overloaded, service.errors.rateLimited({}), done]);
    expect(usage).toMatchObject({ modelCalls: 3, inputTokens: 1_000, costUsd: expect.closeTo(COST, 9) });
  });

  test('a service that cannot be reached is tried four times, at no cost', async () => {
    const played = await play(
      { ...service, model: () => service.model(unreachable) },
      { script: [], prices },
    );
    await played.drive();
    const view = await played.view();
    expect(view.interrupts).toMatchObject([{ reason: 'provider_blocked', facts: { cause: 'unreachable' } }]);
    expect(view.usage).toMatchObject({ modelCalls: 4, inputTokens: 0 });
  });
});

/** An address where nobody listens any more. */
const unreachable = await new Promise<string>((resolve) => {
  const server = createServer().listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo;
    server.close(() => resolve(`http://127.0.0.1:${port}`));
  });
});

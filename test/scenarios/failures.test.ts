import { APICallError } from '@ai-sdk/provider';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { keyed, lookup } from '../../lib/core/effect.ts';
import { resumeRun } from '../../lib/runtime/resume-run.ts';
import { scriptedModel } from '../../lib/testing/index.ts';
import { defineTool, ToolError, type ToolOptions } from '../../lib/tool.ts';
import { callOnce, scene } from '../support/scene.ts';

const input = z.object({});
type Run = ToolOptions<typeof input>['run'];
const EFFECTS = {
  read: 'read',
  keyed: keyed({ window: '24h' }),
  lookup: lookup({ find: () => 'not_found', horizon: '10s' }),
  once: 'once',
} as const;

function act(run: Run, options: Partial<ToolOptions<typeof input>> = {}) {
  return defineTool({ name: 'act', description: 'Act.', input, effect: 'read', run, ...options });
}

function coded(code: string, message = code): Error {
  return Object.assign(new Error(message), { code });
}

/** Runs a tool that fails until it has been called `times` times, then returns `ok`. */
async function failing(
  times: number,
  error: () => unknown,
  options: Partial<ToolOptions<typeof input>> = {},
) {
  const calls: { attempt: number; key: string; at: number }[] = [];
  let now = () => 0;
  const tool = act((_, { attempt, idempotencyKey: key }) => {
    calls.push({ attempt, key, at: now() });
    if (calls.length <= times) throw error();
    return 'ok';
  }, options);
  const played = await scene({ tools: [tool], script: callOnce('act') });
  now = () => played.world.clock.now();
  await played.drive();
  const events = await played.events();
  return { ...played, calls, events, returned: events.find((event) => event.type === 'tool_returned') };
}

test('an error that a tool throws on purpose is final and goes to the model', async () => {
  const { calls, returned, view } = await failing(1, () => new Error('no such customer'), { effect: 'once' });
  expect(calls).toHaveLength(1);
  expect(returned).toMatchObject({ source: 'executed', error: { message: 'no such customer' } });
  expect((await view()).status).toBe('completed');
});

test('what may be retried waits durably between attempts, 1 s doubling, under the same key', async () => {
  const { calls, events, returned } = await failing(3, () => new ToolError('busy', { retryable: true }), {
    effect: 'once',
  });
  expect(calls.map((call) => call.attempt)).toEqual([1, 2, 3, 4]);
  expect(new Set(calls.map((call) => call.key)).size).toBe(1);
  const waits = calls.slice(1).map((call, index) => call.at - (calls[index]?.at ?? 0));
  for (const [index, wait] of waits.entries()) {
    expect(wait).toBeGreaterThanOrEqual(500 * 2 ** index);
    expect(wait).toBeLessThanOrEqual(1_000 * 2 ** index);
  }
  expect(events.filter((event) => event.type === 'tool_call_failed')).toMatchObject([
    { attempt: 1, outcome: 'failed' },
    { attempt: 2, outcome: 'failed' },
    { attempt: 3, outcome: 'failed' },
  ]);
  expect(returned).toMatchObject({ result: 'ok' });
});

test('after the last attempt the model is told the error', async () => {
  const { calls, events } = await failing(9, () => new ToolError('busy', { retryable: true }), {
    retry: { attempts: 2 },
  });
  expect(calls).toHaveLength(2);
  const last = events.filter((event) => event.type === 'tool_call_failed' || event.type === 'tool_returned');
  expect(last).toMatchObject([
    { attempt: 1 },
    { attempt: 2 },
    { type: 'tool_returned', error: { message: 'busy' } },
  ]);
});

test.each(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'])(
  '%s proves that nothing was sent: even a once call is tried again',
  async (code) => {
    const { calls, returned } = await failing(
      1,
      () => new TypeError('fetch failed', { cause: coded(code) }),
      { effect: 'once' },
    );
    expect(calls).toHaveLength(2);
    expect(returned).toMatchObject({ result: 'ok' });
  },
);

const OPEN = {
  'a reset connection': () => new TypeError('fetch failed', { cause: coded('ECONNRESET') }),
  'a closed socket': () => new TypeError('terminated', { cause: coded('UND_ERR_SOCKET') }),
  'a header timeout': () => coded('UND_ERR_HEADERS_TIMEOUT'),
  'a body timeout': () => coded('UND_ERR_BODY_TIMEOUT'),
  'an abort': () => new DOMException('aborted', 'AbortError'),
  'a ToolError that says so': () => new ToolError('who knows', { outcome: 'unknown' }),
};

test.each(Object.entries(OPEN))(
  '%s is unknown and reconciled by the effect, not reported as failed',
  async (_, error) => {
    const read = await failing(1, error, { effect: 'read' });
    expect([read.calls.length, read.returned?.source]).toEqual([2, 'executed']);
    const repeated = await failing(1, error, { effect: EFFECTS.keyed });
    expect([repeated.calls.length, new Set(repeated.calls.map((call) => call.key)).size]).toEqual([2, 1]);
    const asked = await failing(1, error, {
      effect: lookup({ find: () => ({ found: 'it' }), horizon: '10s' }),
    });
    expect([asked.calls.length, asked.returned]).toMatchObject([1, { source: 'reconciled', result: 'it' }]);
    const doubted = await failing(1, error, { effect: 'once' });
    expect(doubted.calls).toHaveLength(1);
    expect((await doubted.view()).interrupts).toMatchObject([{ reason: 'in_doubt' }]);
    for (const { events } of [read, repeated, asked, doubted]) {
      expect(events.find((event) => event.type === 'tool_call_failed')).toMatchObject({ outcome: 'unknown' });
    }
  },
);

test('a tool that does not end in time is left behind, its signal aborted, its outcome unknown', async () => {
  let aborted = false;
  const tool = act(
    (_, { signal }) => {
      signal.addEventListener('abort', () => {
        aborted = true;
      });
      return new Promise(() => {});
    },
    { effect: 'once', timeout: 30 },
  );
  const played = await scene({ tools: [tool], script: callOnce('act') });
  await played.drive();
  expect(aborted).toBe(true);
  expect(await played.events()).toContainEqual(
    expect.objectContaining({
      type: 'tool_call_failed',
      outcome: 'unknown',
      error: expect.objectContaining({ code: 'tool_timeout' }),
    }),
  );
  expect((await played.view()).interrupts).toMatchObject([{ reason: 'in_doubt' }]);
});

test('when the attempts are used up and the outcome is unknown, only what can be known is said', async () => {
  const lost = OPEN['a reset connection'];
  const retry = { attempts: 2 };
  const read = await failing(9, lost, { effect: 'read', retry });
  expect(read.returned).toMatchObject({ error: { code: 'attempts_lost' } });
  const repeated = await failing(9, lost, { effect: EFFECTS.keyed, retry });
  expect((await repeated.view()).interrupts).toMatchObject([{ reason: 'in_doubt', attempt: 2 }]);
  const asked = await failing(9, lost, { effect: EFFECTS.lookup, retry });
  expect([asked.calls.length, asked.returned]).toMatchObject([2, { error: { code: 'attempts_lost' } }]);
});

test('a result that JSON cannot carry is an error for the model with the path, and the tool is not run again', async () => {
  const { calls, returned } = await (async () => {
    const calls: number[] = [];
    const tool = act(
      (_, { attempt }) => {
        calls.push(attempt);
        return { rows: [{ when: new Date(0) }] };
      },
      { effect: 'once' },
    );
    const played = await scene({ tools: [tool], script: callOnce('act') });
    await played.drive();
    return { calls, returned: (await played.events()).find((event) => event.type === 'tool_returned') };
  })();
  expect(calls).toEqual([1]);
  expect(returned).toMatchObject({
    source: 'executed',
    error: { code: 'result_not_json', message: expect.stringContaining('$.rows[0].when is a Date') },
  });
});

test('ctx.fetch sends the key, and a 5xx is unknown', async () => {
  const { createServer } = await import('node:http');
  const keys: unknown[] = [];
  const server = createServer((request, response) => {
    keys.push(request.headers['idempotency-key']);
    response.writeHead(keys.length === 1 ? 503 : 200).end('fine');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  try {
    const tool = act(async (_, { fetch }) => (await fetch(`http://127.0.0.1:${port}/`)).text(), {
      effect: EFFECTS.keyed,
    });
    const played = await scene({ tools: [tool], script: callOnce('act') });
    await played.drive();
    expect(keys).toEqual([`${played.run.runId}:2`, `${played.run.runId}:2`]);
    expect((await played.events()).find((event) => event.type === 'tool_call_failed')).toMatchObject({
      outcome: 'unknown',
    });
    expect((await played.view()).output).toBe('done');
  } finally {
    server.close();
  }
});

function provider(statusCode: number, headers: Record<string, string> = {}, responseBody = '') {
  return new APICallError({
    message: `status ${statusCode}`,
    url: 'http://p',
    requestBodyValues: {},
    statusCode,
    responseHeaders: headers,
    responseBody,
  });
}

/** A model that fails with the given errors one after another, then answers. */
async function modelFailing(errors: readonly unknown[]) {
  const left = [...errors];
  const at: number[] = [];
  let now = () => 0;
  const model = scriptedModel(['done']);
  const played = await scene({
    model: {
      ...model,
      doGenerate: (options) => {
        at.push(now());
        const error = left.shift();
        return error === undefined ? model.doGenerate(options) : Promise.reject(error);
      },
    },
  });
  now = () => played.world.clock.now();
  await played.drive();
  return { ...played, at };
}

test("a provider's retry-after is a durable wait, in seconds or as a date", async () => {
  const { at, view, events } = await modelFailing([provider(429, { 'retry-after': '300' }), provider(529)]);
  expect((await view()).status).toBe('completed');
  expect((at[1] ?? 0) - (at[0] ?? 0)).toBeGreaterThanOrEqual(300_000);
  expect((await events()).filter((event) => event.type === 'model_call_failed')).toHaveLength(2);
});

test.each([
  ['a bad request', provider(400), 'model_error'],
  ['a quota that is used up', provider(429, {}, '{"error":{"code":"insufficient_quota"}}'), 'quota_used_up'],
  [
    'a context that is too long',
    provider(400, {}, '{"error":{"message":"prompt is too long: 210000 tokens"}}'),
    'context_too_long',
  ],
])('%s is not tried again: the run waits for a person, who is told the cause', async (_, error, cause) => {
  const { view, at, rt, run, drive } = await modelFailing([error]);
  expect(at).toHaveLength(1);
  expect(await view()).toMatchObject({
    status: 'paused',
    interrupts: [{ reason: 'provider_blocked', facts: { cause } }],
  });
  await resumeRun(rt, run, { mode: 'verbatim', by: 'ann' });
  await drive();
  expect(at).toHaveLength(2);
  expect(await view()).toMatchObject({ status: 'completed', output: 'done' });
});

test('a model call that fails at every attempt waits for a person after four, and gets four more when resumed', async () => {
  const errors = Array.from({ length: 7 }, () => provider(500));
  const { view, at, rt, run, drive, events } = await modelFailing(errors);
  expect(at).toHaveLength(4);
  expect((await view()).interrupts).toMatchObject([{ reason: 'provider_blocked', step: 1 }]);
  await resumeRun(rt, run, { mode: 'verbatim', by: 'ann' });
  await drive();
  expect((await view()).status).toBe('completed');
  const requests = (await events()).filter((event) => event.type === 'model_call_requested');
  expect(requests.map((event) => event.attempt)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(new Set(requests.map((event) => event.requestHash)).size).toBe(1);
});

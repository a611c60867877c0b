import { expect, test } from 'vitest';
import * as z from 'zod';
import { scriptedModel } from '../../lib/testing/index.ts';
import { defineTool } from '../../lib/tool.ts';
import { callOnce, scene } from '../support/scene.ts';

/** Runs a `once` tool, and gives how often it ran and what the log says of it. */
async function ran(run: () => unknown) {
  let calls = 0;
  const act = defineTool({
    name: 'act',
    description: 'Act.',
    input: z.object({}),
    effect: 'once',
    run: (_, ctx) => {
      calls++;
      ctx.log('working', { big: 10n, self: ctx });
      return run();
    },
  });
  const played = await scene({ tools: [act], script: callOnce('act') });
  await played.drive();
  return {
    ...played,
    calls,
    returned: (await played.events()).find((event) => event.type === 'tool_returned'),
  };
}

const cycle = () => {
  const a: { cause?: unknown } = new Error('a');
  a.cause = Object.assign(new Error('b'), { cause: a });
  return a;
};
const trap = new Proxy(
  {},
  {
    get: () => {
      throw new Error('trapped');
    },
  },
);
const THROWN: Record<string, unknown> = {
  'an error whose causes go round': cycle(),
  'an object without a prototype': Object.create(null),
  'an error whose message cannot be read': Object.defineProperty(new Error(), 'message', {
    get: () => {
      throw new Error('no');
    },
  }),
  'an error whose code cannot be read': Object.defineProperty(new Error('x'), 'code', {
    get: () => {
      throw new Error('no');
    },
  }),
  'a proxy that traps everything': trap,
  null: null,
  'a symbol': Symbol('s'),
  'a function': () => 1,
};

test.each(Object.entries(THROWN))(
  'a tool that throws %s has failed, once, and the model is told',
  async (_, thrown) => {
    const { calls, returned, view } = await ran(() => {
      throw thrown;
    });
    expect(calls).toBe(1);
    expect(returned).toMatchObject({ source: 'executed', error: { code: 'tool_error' } });
    expect((await view()).status).toBe('completed');
  },
);

test('a result is read once: what was checked is what is kept', async () => {
  let reads = 0;
  const twice = {
    get n() {
      return reads++ === 0 ? 1 : 10n;
    },
  };
  expect((await ran(() => twice)).returned).toMatchObject({ result: { n: 1 } });
  expect((await ran(() => ({ row: new Proxy({ a: 1 }, {}) }))).returned).toMatchObject({
    result: { row: { a: 1 } },
  });
});

test('a result that is changed after it was returned stays as it was', async () => {
  const result: { n: unknown } = { n: 1 };
  const { returned } = await ran(() => {
    setTimeout(() => {
      result.n = 10n;
    });
    return result;
  });
  expect(returned).toMatchObject({ result: { n: 1 } });
});

test.each([
  [
    'whose getter throws',
    {
      get n(): never {
        throw Object.assign(new Error(), { code: 'ECONNREFUSED' });
      },
    },
  ],
])('a result %s is an error for the model, and the call is not repeated', async (_, result) => {
  const { calls, returned } = await ran(() => result);
  expect(calls).toBe(1);
  expect(returned).toMatchObject({ error: { code: 'result_not_json' } });
});

test.each<[string, object]>([
  ['a finish reason of an older provider', { finishReason: 'stop' }],
  [
    'a call whose id is a number',
    { content: [{ type: 'tool-call', toolCallId: 7, toolName: 'act', input: '{}' }] },
  ],
  [
    'a call whose name is an object',
    { content: [{ type: 'tool-call', toolCallId: 'c', toolName: {}, input: '{}' }] },
  ],
  [
    'a call whose input is an object',
    { content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'act', input: {} }] },
  ],
  ['a part of no known type', { content: [{ type: 'nonsense' }] }],
  ['no content', { content: null }],
])(
  'an answer with %s is not written into the log: the run waits for a person and can be read',
  async (_, changes) => {
    const model = scriptedModel(['done']);
    const played = await scene({
      model: {
        ...model,
        doGenerate: async (options) => ({ ...(await model.doGenerate(options)), ...changes }) as never,
      },
    });
    await played.drive();
    expect(await played.view()).toMatchObject({
      status: 'paused',
      interrupts: [{ reason: 'provider_blocked' }],
    });
    expect(await played.verify()).toEqual([]);
  },
);

test('a model of another generation is refused when the agent is declared', async () => {
  const old = { ...scriptedModel([]), specificationVersion: 'v2' };
  await expect(scene({ model: old as never })).rejects.toMatchObject({
    code: 'bad_agent',
    message: expect.stringContaining("'v4'"),
  });
});

test('an outcome in hand survives an outage of the store, where time passes', async () => {
  let sent = 0;
  const pay = defineTool({
    name: 'pay',
    description: 'Pay.',
    input: z.object({}),
    effect: 'once',
    run: () => ++sent,
  });
  const played = await scene({ tools: [pay], script: callOnce('pay') });
  const { world } = played;
  world.clock.sleep = async (ms) => world.advanceTo(world.clock.now() + ms);
  const { append } = world.log;
  let refused = 0;
  world.log.append = async (run, commit) => {
    const outcome = (commit.events as { type: string }[]).some((event) => event.type === 'tool_returned');
    if (!outcome || refused >= 12) return append(run, commit);
    refused++;
    throw Object.assign(new Error('the disk is full'), { name: 'StepfoldError', code: 'unavailable' });
  };
  await played.drive();
  expect([sent, refused]).toEqual([1, 12]);
  expect(await played.view()).toMatchObject({ status: 'completed' });
  expect(await played.types()).not.toContain('interrupted');
});

test('a step that fails is reported each time, with its run', async () => {
  const played = await scene({});
  const { world, reports, run } = played;
  const { read } = world.inbox;
  let left = 2;
  world.inbox.read = (...args) =>
    left-- > 0 ? Promise.reject(new TypeError('secret words')) : read(...args);
  await played.drive();
  const failures = reports.filter((report) => report.message.startsWith('a step failed'));
  expect(failures).toMatchObject([
    { runId: run.runId, fields: { deliveries: 1, error: 'TypeError' } },
    { fields: { deliveries: 2 } },
  ]);
  expect(JSON.stringify(failures)).not.toContain('secret');
});

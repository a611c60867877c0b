import { expect, test } from 'vitest';
import * as z from 'zod';
import { keyed, lookup, once } from '../../lib/core/effect.ts';
import { defineTool } from '../../lib/tool.ts';
import { callOnce, scene } from '../support/scene.ts';

const MINUTE = 60_000;
const input = z.object({});

/** A tool whose first call hangs until it is told how to end; every later call returns `fresh`. */
function hanging(effect: Parameters<typeof defineTool>[0]['effect']) {
  const sent: string[] = [];
  const first = Promise.withResolvers<unknown>();
  const reached = Promise.withResolvers<void>();
  const tool = defineTool({
    name: 'act',
    description: 'Act.',
    input,
    ...(effect && { effect }),
    run: (_, { idempotencyKey }) => {
      sent.push(idempotencyKey);
      reached.resolve();
      return sent.length === 1 ? first.promise : 'fresh';
    },
  });
  return { tool, sent, first, reached: reached.promise };
}

async function heldUp(effect: Parameters<typeof defineTool>[0]['effect']) {
  const act = hanging(effect);
  const played = await scene({ tools: [act.tool], script: callOnce('act') });
  await played.worker().done;
  const zombie = played.worker();
  await act.reached;
  played.world.advanceTo(played.world.clock.now() + 5 * MINUTE);
  await played.drive();
  return { ...act, ...played, zombie };
}

test('a zombie that finishes after takeover with a result appends nothing, and what it brings is kept as evidence', async () => {
  const { sent, first, zombie, view, types, verify } = await heldUp(keyed({ window: '24h' }));
  expect(sent).toHaveLength(2);
  expect(new Set(sent).size).toBe(1);
  const before = await types();
  first.resolve('stale');
  await zombie.done;
  expect(await types()).toEqual(before);
  const { status, evidence } = await view();
  expect(status).toBe('completed');
  expect(evidence).toMatchObject([
    { callId: '1.0', step: 2, attempt: 1, outcome: [{ type: 'tool_returned', result: 'stale' }] },
  ]);
  expect(await verify()).toEqual([]);
});

test('a large result of a zombie is kept as evidence by reference', async () => {
  const { first, zombie, view, world, run } = await heldUp(keyed({ window: '24h' }));
  first.resolve('x'.repeat(500_000));
  await zombie.done;
  const [evidence] = (await view()).evidence;
  const [outcome] = (evidence?.outcome ?? []) as unknown as {
    resultRef: { sha256: string; bytes: number };
  }[];
  expect(outcome?.resultRef.bytes).toBe(500_002);
  expect(await world.blobs.get(run, outcome?.resultRef.sha256 ?? '')).toBeDefined();
});

test('a zombie that finishes after takeover with a failure appends nothing either', async () => {
  const { first, zombie, view, types } = await heldUp(keyed({ window: '24h' }));
  const before = await types();
  first.reject(Object.assign(new Error('reset'), { code: 'ECONNRESET' }));
  await zombie.done;
  expect(await types()).toEqual(before);
  expect((await view()).evidence).toMatchObject([
    { outcome: [{ type: 'tool_call_failed', outcome: 'unknown' }] },
  ]);
});

test('a late result of a once call does not override what a person has decided, and is shown beside the doubt', async () => {
  const { sent, first, zombie, view, decide, drive, events } = await heldUp(once());
  expect(sent).toHaveLength(1);
  const doubted = await view();
  expect(doubted.interrupts).toMatchObject([{ reason: 'in_doubt', step: 2, callId: '1.0', effect: 'once' }]);
  first.resolve('it did happen');
  await zombie.done;
  expect((await view()).evidence).toMatchObject([{ outcome: [{ result: 'it did happen' }] }]);
  await decide(doubted.interrupts[0]?.interruptId ?? '', 'skip');
  await drive();
  const returned = (await events()).filter((event) => event.type === 'tool_returned');
  expect(returned).toMatchObject([{ source: 'operator', step: 2, error: { code: 'outcome_unknown' } }]);
  expect(sent).toHaveLength(1);
});

test('a worker that is held up between its claim and the request sends nothing after its deadline', async () => {
  const sent: string[] = [];
  const pay = defineTool({
    name: 'pay',
    description: 'Pay.',
    input,
    effect: 'once',
    run: () => sent.push('paid'),
  });
  const played = await scene({ tools: [pay], script: callOnce('pay') });
  await played.worker().done;
  const { append } = played.world.log;
  played.world.log.append = async (run, commit) => {
    const done = await append(run, commit);
    played.world.log.append = append;
    played.world.advanceTo(played.world.clock.now() + 5 * MINUTE);
    return done;
  };
  await played.worker().done;
  expect(sent).toEqual([]);
  expect((await played.events()).at(-1)).toMatchObject({
    type: 'tool_call_failed',
    outcome: 'failed',
    error: { code: 'late' },
  });
  await played.drive();
  expect(sent).toEqual(['paid']);
  expect((await played.view()).status).toBe('completed');
});

test('retry of a once call is refused until its horizon has passed, and says until when', async () => {
  const { view, decide, world, drive, sent, verify } = await heldUp(once({ horizon: '10m' }));
  const [interrupt] = (await view()).interrupts;
  const id = interrupt?.interruptId ?? '';
  await expect(decide(id, 'retry')).rejects.toMatchObject({
    code: 'too_early',
    details: { retryAfter: interrupt?.retryAfter },
  });
  world.advanceTo(Date.parse(interrupt?.retryAfter ?? ''));
  await decide(id, 'retry');
  await drive();
  expect(sent).toHaveLength(2);
  expect((await view()).status).toBe('completed');
  expect(await verify()).toEqual([]);
});

test('a key is not sent again when the downstream may have forgotten it', async () => {
  const { sent, view } = await heldUp(keyed({ window: '2m' }));
  expect(sent).toHaveLength(1);
  expect((await view()).interrupts).toMatchObject([{ reason: 'in_doubt', effect: 'keyed', attempt: 1 }]);
});

test('a lookup that cannot tell puts the call in doubt', async () => {
  const answers = {
    unknown: () => 'unknown',
    nonsense: () => 'perhaps',
    throws: () => {
      throw new Error('down');
    },
  } as const;
  for (const [name, find] of Object.entries(answers)) {
    const { sent, view } = await heldUp(lookup({ find: find as () => 'unknown', horizon: '10s' }));
    expect(sent, name).toHaveLength(1);
    expect((await view()).interrupts, name).toMatchObject([{ reason: 'in_doubt', effect: 'lookup' }]);
  }
});

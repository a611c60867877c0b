import { expect, test } from 'vitest';
import { defineAgent } from '../../lib/agent.ts';
import { createMemoryWorld } from '../../lib/memory/memory-world.ts';
import { startRun } from '../../lib/runtime/start-run.ts';
import { scriptedModel } from '../../lib/testing/index.ts';
import { drive, runtimeOver } from '../support/drive.ts';

const agent = defineAgent({ name: 'agent', revision: '1', instructions: '', model: scriptedModel(['done']) });
const request = { tenant: 't', agent: 'agent', input: 'go', key: 'k' };

function office() {
  const world = createMemoryWorld();
  return { world, rt: runtimeOver(world, [agent]) };
}

test('a start that is tried again after a lost answer is the same run', async () => {
  const { world, rt } = office();
  const first = await startRun(rt, request);
  expect(await startRun(rt, request)).toEqual(first);
  await drive(world, rt);
  expect(await startRun(rt, request)).toEqual({ runId: first.runId, status: 'completed' });
});

test('twenty starts at once under one key are one run', async () => {
  const { rt } = office();
  const started = await Promise.all(Array.from({ length: 20 }, () => startRun(rt, request)));
  expect(new Set(started.map(({ runId }) => runId)).size).toBe(1);
});

test('a key that is used for another request is refused, and nothing is written', async () => {
  const { world, rt } = office();
  await startRun(rt, request);
  const sent = world.pending().length;
  const put = world.blobs.put;
  let blobs = 0;
  world.blobs.put = (...args) => {
    blobs++;
    return put(...args);
  };
  const other = { ...request, input: 'x'.repeat(20_000) };
  await expect(startRun(rt, other)).rejects.toMatchObject({ code: 'key_reused' });
  expect([world.pending().length, blobs]).toEqual([sent, 0]);
});

test("another tenant's key stands for another run", async () => {
  const { rt } = office();
  const mine = await startRun(rt, request);
  const theirs = await startRun(rt, { ...request, tenant: 'u' });
  expect(theirs.runId).not.toBe(mine.runId);
});

test('an unknown agent, or an input that is not JSON, writes nothing', async () => {
  const { world, rt } = office();
  await expect(startRun(rt, { ...request, agent: 'nobody' })).rejects.toMatchObject({
    code: 'unknown_agent',
  });
  await expect(startRun(rt, { ...request, input: { at: new Date(0) } })).rejects.toMatchObject({
    code: 'not_json',
  });
  expect(world.pending()).toEqual([]);
});

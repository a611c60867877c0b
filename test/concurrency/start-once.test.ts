import { expect, test, vi } from 'vitest';
import { defineAgent } from '../../lib/index.ts';
import { scriptedModel } from '../../lib/testing/index.ts';
import { EmbeddedServer, twenty } from './embedded-server.ts';

const KEY = { 'Idempotency-Key': 'monday' };
/** Stored as an object of its own: all starts have looked for a run of their key before the first is in its inbox. */
const LONG = 'Why did checkout fail? '.repeat(1_000);

/** An agent that counts how often its model is called. */
function counting() {
  const asked: string[] = [];
  const model = scriptedModel([
    () => {
      asked.push('once');
      return 'done';
    },
  ]);
  return { asked, agent: defineAgent({ name: 'echo', revision: '1', instructions: '', model }) };
}

test('twenty starts at once with one Idempotency-Key are one run, which asks its model once', async () => {
  const { asked, agent } = counting();
  const server = await EmbeddedServer.open([agent]);
  const answers = await twenty(() => server.post('/runs', { agent: 'echo', input: LONG }, KEY));
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(202));
  const [runId, ...others] = new Set(answers.map(({ body }) => body.runId));
  expect(others).toEqual([]);

  expect(await server.rest(String(runId))).toMatchObject({ status: 'completed', input: LONG });
  expect((await server.get('/runs')).body.runs).toMatchObject([{ runId }]);
  expect(asked).toHaveLength(1);
  expect((await server.events(String(runId))).filter(({ type }) => type === 'run_started')).toHaveLength(1);
  expect((await server.get(`/runs/${runId}/verify`)).body).toMatchObject({ ok: true });
});

test('the same key with another body is refused, twenty times at once, and nothing is written', async () => {
  const { agent } = counting();
  const server = await EmbeddedServer.open([agent]);
  const { body } = await server.post('/runs', { agent: 'echo', input: 'go' }, KEY);
  await server.rest(String(body.runId));
  // The row for lists is written after the commit that ends the run.
  await vi.waitFor(async () =>
    expect((await server.get('/runs?status=completed')).body.runs).toMatchObject([{ runId: body.runId }]),
  );
  const before = server.contents();
  const answers = await twenty(() => server.post('/runs', { agent: 'echo', input: LONG }, KEY));
  for (const answer of answers)
    expect(answer).toMatchObject({ status: 422, body: { code: 'key_reused', runId: body.runId } });
  expect(server.contents()).toBe(before);
});

test('of two bodies that race for one key one is the run, and every start with the other is refused', async () => {
  const { asked, agent } = counting();
  const server = await EmbeddedServer.open([agent]);
  const inputs = [`${LONG}left`, `${LONG}right`];
  const answers = await twenty((index) =>
    server.post('/runs', { agent: 'echo', input: inputs[index % 2] }, KEY),
  );
  const accepted = answers.flatMap(({ status }, index) => (status === 202 ? [index % 2] : []));
  const refused = answers.flatMap(({ status }, index) => (status === 422 ? [index % 2] : []));
  expect([accepted.length, refused.length]).toEqual([10, 10]);
  expect([new Set(accepted).size, new Set(refused).size]).toEqual([1, 1]);
  const runId = String(answers[0]?.body.runId);
  expect(await server.rest(runId)).toMatchObject({ status: 'completed', input: inputs[accepted[0] ?? 0] });
  expect(asked).toHaveLength(1);
});

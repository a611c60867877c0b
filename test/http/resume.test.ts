import { expect, test } from 'vitest';
import { asker, type Office, openOffice } from './office.ts';

const DAY_MS = 86_400_000;

test("limits at the start lower the agent's, a duration counts in words or in milliseconds", async () => {
  const office = openOffice();
  const start = (limits: unknown) => office.post('/runs', { agent: 'spender', input: 'go', limits });
  const { body } = await start({ steps: 1, wallClock: '2h' });
  expect((await office.get(`/runs/${body.runId}`)).body).toMatchObject({
    status: 'queued',
    limits: { steps: 1, wallClock: 7_200_000 },
  });
  await office.drive();
  expect((await office.get(`/runs/${body.runId}`)).body).toMatchObject({
    limits: { steps: 1, tokens: 1_000_000, costUsd: 5, wallClock: 7_200_000, depth: 5 },
  });
  expect((await start({ wallClock: 7_200_000 })).status).toBe(202);
  const written = office.writes.length;
  const above = await start({ steps: 3, wallClock: '31d', tokens: 5 });
  expect(above).toMatchObject({ status: 422, body: { code: 'limits_above', most: { steps: 2 } } });
  expect(above.body.detail).toContain('steps at most 2, got 3');
  expect(above.body.detail).toContain('wallClock');
  expect(office.writes).toHaveLength(written);
});

test('the same key with the same duration in other words is the same run', async () => {
  const office = openOffice();
  const start = (wallClock: unknown) =>
    office.post(
      '/runs',
      { agent: 'spender', input: 'go', limits: { wallClock } },
      { 'idempotency-key': 'k' },
    );
  const first = await start('2h');
  expect(await start(7_200_000)).toMatchObject({ status: 202, body: { runId: first.body.runId } });
  expect(await start('3h')).toMatchObject({ status: 422, body: { code: 'key_reused' } });
});

test('a run that met a limit says which, and goes on with a higher one', async () => {
  const office = openOffice();
  const runId = await office.run('spender');
  const view = (await office.get(`/runs/${runId}`)).body;
  expect(view).toMatchObject({
    status: 'paused',
    usage: { costUsd: expect.any(Number) },
    interrupts: [{ reason: 'budget_exceeded', facts: { limit: 'steps', allowed: 2, used: 2 } }],
  });
  const path = `/runs/${runId}/resume`;
  const written = office.writes.length;
  for (const limits of [undefined, {}, { steps: 2 }, { tokens: 9_000_000 }]) {
    expect(await office.post(path, { mode: 'verbatim', ...(limits && { limits }) })).toMatchObject({
      status: 422,
      body: { code: 'limits_required', limit: 'steps', used: 2 },
    });
  }
  expect(await office.post(path, { mode: 'migrate', limits: { steps: 9 } })).toMatchObject({
    status: 422,
    body: { code: 'wrong_decision' },
  });
  expect(office.writes).toHaveLength(written);
  const body = { mode: 'verbatim', limits: { steps: 9 }, by: 'ann', note: 'go on' };
  const made = await office.post(path, body);
  expect(made).toMatchObject({
    status: 200,
    body: { decision: 'verbatim', by: 'ann', note: 'go on', limits: { steps: 9 } },
  });
  expect((await office.post(path, body)).body).toEqual(made.body);
  await office.drive();
  expect((await office.get(`/runs/${runId}`)).body).toMatchObject({
    status: 'completed',
    limits: { steps: 9, tokens: 1_000_000 },
  });
});

test('a wall clock is raised above the time that has passed until now, not until the limit was met', async () => {
  const office = openOffice();
  const body = { agent: 'sleeper', input: 'go', limits: { wallClock: '1d' } };
  const { runId } = (await office.post('/runs', body)).body;
  await office.drive(8 * DAY_MS);
  const [interrupt] = (await office.get(`/runs/${runId}`)).body.interrupts;
  expect(interrupt).toMatchObject({
    reason: 'budget_exceeded',
    facts: { limit: 'wallClock', allowed: DAY_MS },
  });
  office.world.advanceTo(office.world.clock.now() + 2 * DAY_MS);
  const resume = (limits: object) => office.post(`/runs/${runId}/resume`, { mode: 'verbatim', limits });
  expect(await resume({ wallClock: '8d' })).toMatchObject({
    status: 422,
    body: { code: 'limits_required', limit: 'wallClock' },
  });
  expect(await resume({ wallClock: '10d', costUsd: 3 })).toMatchObject({
    status: 422,
    body: { code: 'no_prices' },
  });
  expect((await resume({ wallClock: '10d' })).status).toBe(200);
  await office.drive();
  expect((await office.get(`/runs/${runId}`)).body).toMatchObject({ status: 'completed' });
});

test('a run whose code has changed says what differs, and goes on as somebody says', async () => {
  const office = openOffice();
  const runId = await changed(office, asker({ revision: '2', instructions: 'Be exact.\nBe kind.' }));
  expect((await office.get(`/runs/${runId}`)).body.interrupts).toContainEqual(
    expect.objectContaining({
      reason: 'version_mismatch',
      facts: expect.objectContaining({
        started: expect.objectContaining({ revision: '1' }),
        deployed: expect.objectContaining({ revision: '2' }),
        differences: [expect.stringContaining('Be kind.')],
      }),
    }),
  );
  const path = `/runs/${runId}/resume`;
  expect(await office.post(path, { mode: 'migrate' })).toMatchObject({
    status: 422,
    body: { code: 'no_migration' },
  });
  expect(await office.post(path, { mode: 'verbatim' })).toMatchObject({
    status: 200,
    body: { decision: 'verbatim', accepted: { revision: '2', promptHash: expect.any(String) } },
  });
  await office.drive();
  expect((await office.get(`/runs/${runId}`)).body).toMatchObject({
    revision: '2',
    interrupts: [{ reason: 'awaiting_input' }],
  });
  expect(await office.post(path, { mode: 'verbatim' })).toMatchObject({
    status: 409,
    body: { code: 'not_blocked' },
  });
});

test('a run whose code has changed goes on by the migrations that came later', async () => {
  const office = openOffice();
  const runId = await changed(office, asker({ revision: '2' }));
  office.deploy(asker({ revision: '2', migrations: [{ from: '1', to: '2', migrate: (state) => state }] }));
  expect((await office.post(`/runs/${runId}/resume`, { mode: 'migrate' })).status).toBe(200);
  await office.drive();
  const { events } = (await office.get(`/runs/${runId}/events`)).body;
  expect(events).toContainEqual(expect.objectContaining({ type: 'version_migrated', from: '1', to: '2' }));
});

/** A run that waits for an answer when other code comes. */
async function changed(office: Office, ...deployed: Parameters<Office['deploy']>): Promise<string> {
  const runId = await office.run('asker');
  office.deploy(...deployed);
  await office.post(`/runs/${runId}/signals`, { name: 'look' });
  await office.drive();
  return runId;
}

test('a run whose provider refuses says why, and tries once more when it is told to', async () => {
  const office = openOffice();
  const runId = await office.run('pauper');
  const view = (await office.get(`/runs/${runId}`)).body;
  expect(view).toMatchObject({
    status: 'paused',
    interrupts: [
      {
        reason: 'provider_blocked',
        facts: { cause: 'quota_used_up' },
        error: { message: expect.stringContaining('credit balance') },
      },
    ],
  });
  expect((await office.post(`/runs/${runId}/resume`, { mode: 'verbatim' })).status).toBe(200);
  await office.drive();
  const again = (await office.get(`/runs/${runId}`)).body.interrupts;
  expect(again).toMatchObject([{ reason: 'provider_blocked' }]);
  expect(again[0]?.interruptId).not.toBe(view.interrupts[0]?.interruptId);
});

test('a name in the body of a resume counts only where the body is trusted', async () => {
  const office = openOffice({ identify: () => ({ tenant: 'local', by: 'ann' }), trustBody: false });
  const runId = await office.run('pauper');
  const made = await office.post(`/runs/${runId}/resume`, { mode: 'verbatim', by: 'bob' });
  expect(made).toMatchObject({ status: 200, body: { by: 'ann' } });
});

test('a run that is not blocked is not resumed', async () => {
  const office = openOffice();
  const runId = await office.run('sleeper');
  expect(await office.post(`/runs/${runId}/resume`, { mode: 'verbatim' })).toMatchObject({
    status: 409,
    body: { code: 'not_blocked' },
  });
  await office.post(`/runs/${runId}/cancel`, {});
  await office.drive();
  expect(await office.post(`/runs/${runId}/resume`, { mode: 'verbatim' })).toMatchObject({
    status: 409,
    body: { code: 'run_ended', ended: 'cancelled' },
  });
});

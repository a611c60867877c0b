import { expect, onTestFinished, test } from 'vitest';
import { EmbeddedServer } from './embedded-server.ts';
import { SLOTS, slowAgent } from './slow-tool.ts';

const RUNS = 30;

test('while sixteen slow steps are in flight the API answers, takes starts, and sixteen is the most', async () => {
  const { agent, counted, full, finish } = slowAgent();
  const server = await EmbeddedServer.open([agent]);
  onTestFinished(finish);
  const runIds = await Promise.all(Array.from({ length: RUNS - 1 }, () => server.start('worker')));
  await full;

  expect(await server.get('/health')).toMatchObject({ status: 200, body: { status: 'ok' } });
  const { body } = await server.get('/runs?limit=500');
  expect(body.runs?.length).toBeGreaterThanOrEqual(SLOTS);
  runIds.push(await server.start('worker'));
  for (const runId of runIds)
    expect((await server.get(`/runs/${runId}`)).body.status).toMatch(/^(queued|running)$/);
  expect(counted).toEqual({ inFlight: SLOTS, most: SLOTS });

  finish();
  const views = await Promise.all(runIds.map((runId) => server.rest(runId)));
  expect(new Set(views.map(({ status, output }) => `${status}: ${output}`))).toEqual(
    new Set(['completed: done']),
  );
  expect(counted).toEqual({ inFlight: 0, most: SLOTS });
});

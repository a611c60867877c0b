import { expect, test } from 'vitest';
import { openOffice } from './office.ts';

test('a run is started, described, listed and read to its end', async () => {
  const office = openOffice();
  const started = await office.post('/runs', { agent: 'echo', input: { ask: 'why' }, labels: { team: 'a' } });
  expect(started).toMatchObject({ status: 202, body: { status: 'queued' } });
  const { runId } = started.body;
  expect((await office.get(`/runs/${runId}`)).body).toMatchObject({ status: 'queued', seq: -1 });
  await office.drive();
  expect((await office.get(`/runs/${runId}`)).body).toMatchObject({
    status: 'completed',
    agent: 'echo',
    input: { ask: 'why' },
    output: 'done',
    labels: { team: 'a' },
    interrupts: [],
  });
  const { body } = await office.get(`/runs/${runId}/events`);
  expect(body.events.map((event) => event.seq)).toEqual(body.events.map((_, index) => index));
  expect(body.events.at(-1)?.type).toBe('run_completed');
  expect((await office.get('/runs')).body.runs).toMatchObject([{ runId, status: 'completed' }]);
});

test('the same key and body twenty times at once is one run', async () => {
  const office = openOffice();
  const body = { agent: 'echo', input: 'go' };
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => office.post('/runs', body, { 'idempotency-key': 'k 1' })),
  );
  expect(new Set(answers.map(({ status, body: { runId } }) => `${status} ${runId}`)).size).toBe(1);
  await office.drive();
  expect((await office.get('/runs')).body.runs).toHaveLength(1);
  const again = await office.post('/runs', body, { 'idempotency-key': 'k 1' });
  expect(again.body).toEqual({ runId: answers[0]?.body.runId, status: 'completed' });
});

test('the same key with another body is refused', async () => {
  const office = openOffice();
  await office.post('/runs', { agent: 'echo', input: 'go' }, { 'idempotency-key': 'k' });
  const other = await office.post('/runs', { agent: 'echo', input: 'stop' }, { 'idempotency-key': 'k' });
  expect(other).toMatchObject({ status: 422, body: { code: 'key_reused' } });
});

test('the list of runs is paged and narrowed', async () => {
  const office = openOffice();
  const ids = [await office.run('echo'), await office.run('echo'), await office.run('payer')];
  const first = (await office.get('/runs?limit=2')).body;
  const second = (await office.get(`/runs?limit=2&cursor=${first.cursor}`)).body;
  expect([...first.runs, ...second.runs].map((run) => run.runId).sort()).toEqual(ids.sort());
  expect((await office.get('/runs?agent=payer')).body.runs).toHaveLength(1);
  expect((await office.get('/runs?status=paused')).body.runs).toMatchObject([{ agent: 'payer' }]);
  expect(await office.get('/runs?cursor=nonsense')).toMatchObject({
    status: 400,
    body: { code: 'bad_cursor' },
  });
});

test('a run that was set aside is listed as stalled, and not under the status below', async () => {
  const office = openOffice();
  const runId = await office.run('payer');
  const other = await office.run('payer');
  const mark = { code: 'crashed', cause: 'boom', count: 10, at: '2026-01-01T00:00:00.000Z', tries: 0 };
  const { seq } = (await office.get(`/runs/${runId}`)).body;
  await office.world.index.stall({ tenant: 'local', runId }, seq, mark);
  expect((await office.get('/runs?status=stalled')).body.runs).toMatchObject([
    { runId, status: 'stalled', stalled: mark },
  ]);
  expect((await office.get('/runs?status=paused')).body.runs).toMatchObject([{ runId: other }]);
  expect((await office.get('/interrupts')).body.interrupts).toHaveLength(2);
});

test('another tenant meets a run as one that does not exist', async () => {
  const office = openOffice({
    identify: (request) => ({ tenant: request.headers.get('x-tenant') ?? 'a', by: 'ann' }),
  });
  const runId = await office.run('payer');
  const headers = { 'x-tenant': 'b' };
  for (const path of ['', '/events', '/verify', `/blobs/${'0'.repeat(64)}`]) {
    const response = await office.request(`/runs/${runId}${path}`, { headers });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ code: 'unknown_run' });
  }
  const bodies = {
    messages: { text: 'x' },
    signals: { name: 'x' },
    cancel: {},
    resume: { mode: 'verbatim' },
  };
  const written = office.writes.length;
  for (const [path, body] of Object.entries(bodies)) {
    const told = await office.post(`/runs/${runId}/${path}`, body, headers);
    expect(told).toMatchObject({ status: 404, body: { code: 'unknown_run' } });
  }
  expect(office.writes).toHaveLength(written);
  const decided = await office.post(
    `/runs/${runId}/interrupts/i3/decision`,
    { decision: 'approve' },
    headers,
  );
  expect(decided).toMatchObject({ status: 404, body: { code: 'unknown_run' } });
  const list = await office.request('/runs', { headers });
  expect(await list.json()).toEqual({ runs: [] });
});

test('whoever is not known gets no answer but for the health', async () => {
  const office = openOffice({ identify: () => undefined });
  expect(await office.get('/runs')).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
  const post = await office.post('/runs', { agent: 'echo', input: 'go' });
  expect(post.headers.get('www-authenticate')).toBe('Bearer');
  expect(await office.get('/health')).toMatchObject({ status: 200, body: { status: 'ok' } });
  expect(office.writes).toEqual([]);
});

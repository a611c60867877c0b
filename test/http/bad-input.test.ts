import { beforeEach, expect, test } from 'vitest';
import { type Office, openOffice } from './office.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
let office: Office;
beforeEach(() => {
  office = openOffice();
});

async function refused(path: string, init: RequestInit) {
  const response = await office.request(path, init);
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  const problem = (await response.json()) as Record<string, unknown>;
  expect(problem).toMatchObject({
    status: response.status,
    type: `urn:stepfold:problem:${problem.code}`,
    title: expect.any(String),
    detail: expect.any(String),
  });
  expect(office.writes).toEqual([]);
  return `${response.status} ${problem.code}`;
}

const post = (body: BodyInit, headers: Record<string, string> = JSON_TYPE) => ({
  method: 'POST',
  body,
  headers,
});

test.each([
  ['{"agent":', '400 malformed_json'],
  ['', '400 malformed_json'],
  [new Uint8Array([0x22, 0xff, 0x22]), '400 malformed_json'],
  ['[]', '400 bad_body'],
  ['null', '400 bad_body'],
  ['{"agent":"echo"}', '400 bad_body'],
  ['{"input":1}', '400 bad_body'],
  ['{"agent":1,"input":1}', '400 bad_body'],
  ['{"agent":"echo","input":1,"labels":{"a":1}}', '400 bad_body'],
  ['{"agent":"echo","input":1,"limits":{}}', '400 unknown_property'],
  ['{"agent":"echo","input":1,"__proto__":{}}', '400 unknown_property'],
  ['{"agent":"echo","input":1e999}', '400 not_json'],
  [`{"agent":"echo","input":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, '400 not_json'],
  ['{"agent":"nobody","input":1}', '404 unknown_agent'],
  ['{"agent":"__proto__","input":1}', '404 unknown_agent'],
])('POST /runs with %j is %s', async (body, answer) => {
  expect(await refused('/runs', post(body))).toBe(answer);
});

test('a misfit says where it is and what was expected', async () => {
  const { body } = await office.post('/runs', { agent: 'echo', input: 1, labels: { a: 1 }, limit: 3 });
  expect(body.detail).toContain('body.labels.a');
  expect(body.detail).toContain('"limit"');
  expect(body.detail).toContain('Expected agent, input, labels');
  expect(body.issues).toContainEqual({ where: 'body.labels.a', message: expect.any(String) });
});

test.each([
  [{ 'content-type': 'text/plain' }, '415 unsupported_media_type'],
  [{ 'content-type': 'application/x-www-form-urlencoded' }, '415 unsupported_media_type'],
  [{ 'content-type': 'application/json; charset=utf-16' }, '415 unsupported_media_type'],
  [{ 'content-type': 'application/json', 'content-encoding': 'gzip' }, '415 unsupported_media_type'],
  [{ ...JSON_TYPE, 'idempotency-key': '' }, '400 bad_key'],
  [{ ...JSON_TYPE, 'idempotency-key': 'k'.repeat(256) }, '400 bad_key'],
  [{ ...JSON_TYPE, 'idempotency-key': 'k\u00e9y' }, '400 bad_key'],
])('POST /runs with headers %j is %s', async (headers, answer) => {
  expect(await refused('/runs', post('{"agent":"echo","input":1}', headers))).toBe(answer);
});

// A bare `..` never arrives: whoever makes a URL of the path resolves it.
test.each(['..%2F', 'a%2Fb', 'a%00b', 'a%0Ab', 'a.b', 'a b', '%', 'r'.repeat(65), 'r'.repeat(10_000)])(
  'the id %s is refused',
  async (id) => {
    expect(await refused(`/runs/${id}`, {})).toBe('400 bad_id');
    expect(await refused(`/runs/r/blobs/${id}`, {})).toBe('400 bad_id');
    const decision = post('{"decision":"approve"}');
    expect(await refused(`/runs/r/interrupts/${id}/decision`, decision)).toBe('400 bad_id');
  },
);

test.each([
  '/runs?limit=0',
  '/runs?limit=501',
  '/runs?limit=1e2',
  '/runs?status=sleeping',
  '/runs?statsu=paused',
  '/runs/r/events?after=-2',
  '/runs/r/events?after=',
  '/runs/r?wait=21',
  '/runs/r?wait=-1',
  '/runs/r?wait=x',
  '/interrupts?reason=bored',
])('%s is refused', async (path) => {
  expect(await refused(path, {})).toBe('400 bad_query');
});

test('unknown runs, routes and methods are problems', async () => {
  expect(await refused('/runs/run_x', {})).toBe('404 unknown_run');
  expect(await refused('/runs/run_x/events', {})).toBe('404 unknown_run');
  expect(await refused('/runs/run_x/verify', {})).toBe('404 unknown_run');
  expect(await refused('/runs/run_x/messages', post('{}'))).toBe('404 unknown_route');
  expect(await refused('/', {})).toBe('404 unknown_route');
  expect(await refused('/runs/', {})).toBe('404 unknown_route');
  expect(await refused('/runs', { method: 'DELETE' })).toBe('405 method_not_allowed');
  const response = await office.request('/runs', { method: 'PUT' });
  expect(response.headers.get('allow')).toBe('POST, GET');
});

const LIMIT = 2_500_000;

test('a body over the limit is refused, whatever it says of its length', async () => {
  const large = `{"agent":"echo","input":"${'x'.repeat(LIMIT)}"}`;
  expect(await refused('/runs', post(large))).toBe('413 body_too_large');
  expect(await refused('/runs', post(large, { ...JSON_TYPE, 'content-length': '10' }))).toBe(
    '413 body_too_large',
  );
  const honest = post('{}', { ...JSON_TYPE, 'content-length': String(LIMIT + 1) });
  expect(await refused('/runs', honest)).toBe('413 body_too_large');
});

test('an endless body is not read to its end', async () => {
  let given = 0;
  let cancelled = false;
  const body = new ReadableStream({
    pull(controller) {
      given += 65_536;
      controller.enqueue(new Uint8Array(65_536).fill(0x20));
    },
    cancel() {
      cancelled = true;
    },
  });
  const init = { method: 'POST', body, headers: JSON_TYPE, duplex: 'half' } as RequestInit;
  expect(await refused('/runs', init)).toBe('413 body_too_large');
  expect(cancelled).toBe(true);
  expect(given).toBeLessThan(LIMIT + 200_000);
});

test('a fault of ours says nothing of its cause, and the log does', async () => {
  office.world.index.list = () => Promise.reject(new Error('secret path'));
  const { status, body } = await office.get('/runs');
  expect({ status, code: body.code }).toEqual({ status: 500, code: 'internal' });
  expect(JSON.stringify(body)).not.toContain('secret');
  expect(JSON.stringify(office.reports)).toContain('secret path');
});

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
  ['{"agent":"echo","input":1,"labels":{"a":"b","__proto__":"c"}}', '400 bad_body'],
  ['{"agent":"echo","input":1,"limit":{}}', '400 unknown_property'],
  ['{"agent":"echo","input":1,"limits":{"step":1}}', '400 unknown_property'],
  ['{"agent":"echo","input":1,"limits":3}', '400 bad_body'],
  ['{"agent":"echo","input":1,"limits":{"steps":-1}}', '400 bad_body'],
  ['{"agent":"echo","input":1,"limits":{"steps":0}}', '400 bad_body'],
  ['{"agent":"echo","input":1,"limits":{"steps":"9"}}', '400 bad_body'],
  ['{"agent":"echo","input":1,"limits":{"steps":1.5}}', '400 bad_body'],
  ['{"agent":"echo","input":1,"limits":{"tokens":1e999}}', '400 bad_body'],
  ['{"agent":"echo","input":1,"limits":{"costUsd":0}}', '400 bad_body'],
  ['{"agent":"echo","input":1,"limits":{"costUsd":null}}', '400 bad_body'],
  ['{"agent":"echo","input":1,"limits":{"depth":-1}}', '400 bad_body'],
  ['{"agent":"echo","input":1,"limits":{"parallelCalls":0}}', '400 bad_body'],
  ['{"agent":"echo","input":1,"limits":{"wallClock":-1}}', '400 bad_body'],
  ['{"agent":"echo","input":1,"limits":{"wallClock":"0s"}}', '400 bad_body'],
  ['{"agent":"echo","input":1,"limits":{"wallClock":"-1h"}}', '400 bad_body'],
  ['{"agent":"echo","input":1,"limits":{"wallClock":"soon"}}', '400 bad_body'],
  ['{"agent":"echo","input":1,"limits":{"wallClock":"999999999w"}}', '400 bad_body'],
  ['{"agent":"echo","input":1,"limits":{"depth":6}}', '422 limits_above'],
  ['{"agent":"echo","input":1,"limits":{"costUsd":1}}', '422 no_prices'],
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
  expect(body.detail).toContain('Expected agent, input, limits, labels');
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
  [{ ...JSON_TYPE, 'Idempotency-Key': 'k', 'idempotency-key': 'l' }, '400 bad_key'],
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
    expect(await refused(`/runs/${id}/messages`, post('{"text":"x"}'))).toBe('400 bad_id');
    expect(await refused(`/runs/${id}/cancel`, post('{}'))).toBe('400 bad_id');
  },
);

test.each([
  '/runs?limit=0',
  '/runs?limit=501',
  '/runs?limit=1&limit=2',
  '/runs?agent=echo&agent=echo',
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

const long = 'x'.repeat(129);

test.each([
  ['messages', '{}', '400 bad_body'],
  ['messages', '', '400 malformed_json'],
  ['messages', '{"text":"a","content":"b"}', '400 bad_body'],
  ['messages', '{"text":""}', '400 bad_body'],
  ['messages', '{"text":["a"]}', '400 bad_body'],
  ['messages', '{"text":"a","final":"yes"}', '400 bad_body'],
  ['messages', '{"text":"a","messageId":"../x"}', '400 bad_body'],
  ['messages', '{"text":"a","messageId":""}', '400 bad_body'],
  ['messages', `{"text":"a","messageId":"${long}"}`, '400 bad_body'],
  ['messages', '{"text":"a","messageId":"output:3"}', '400 bad_body'],
  ['messages', '{"text":"a","role":"system"}', '400 unknown_property'],
  ['messages', '{"content":1e999}', '400 not_json'],
  ['signals', '{}', '400 bad_body'],
  ['signals', '{"payload":1}', '400 bad_body'],
  ['signals', '{"name":""}', '400 bad_body'],
  ['signals', '{"name":7}', '400 bad_body'],
  ['signals', `{"name":"${long}"}`, '400 bad_body'],
  ['signals', '{"name":"a","signalId":"a b"}', '400 bad_body'],
  ['signals', '{"name":"a","payload":1e999}', '400 not_json'],
  ['signals', '{"name":"a","data":1}', '400 unknown_property'],
  ['cancel', '[]', '400 bad_body'],
  ['cancel', '{"reason":7}', '400 bad_body'],
  ['cancel', '{"by":""}', '400 bad_body'],
  ['cancel', '{"by":"stepfold:expiry"}', '400 bad_body'],
  ['cancel', '{"by":"run:r"}', '400 bad_body'],
  ['cancel', '{"why":"x"}', '400 unknown_property'],
  ['resume', '{}', '400 bad_body'],
  ['resume', '{"mode":"retry"}', '400 bad_body'],
  ['resume', '{"mode":"verbatim","limits":{"steps":-5}}', '400 bad_body'],
  ['resume', '{"mode":"verbatim","limits":{"wallClock":"later"}}', '400 bad_body'],
  ['resume', '{"mode":"verbatim","accepted":{}}', '400 unknown_property'],
  ['interrupts/i3/decision', '{"decision":"approve","limits":{}}', '400 unknown_property'],
])('POST /runs/r/%s with %s is %s', async (route, body, answer) => {
  expect(await refused(`/runs/r/${route}`, post(body))).toBe(answer);
});

test('a cancel without a body is one, and a body of another kind is not', async () => {
  expect(await refused('/runs/r/cancel', { method: 'POST' })).toBe('404 unknown_run');
  expect(await refused('/runs/r/cancel', post('', {}))).toBe('404 unknown_run');
  expect(await refused('/runs/r/cancel', post('by=ann', {}))).toBe('415 unsupported_media_type');
  expect(await refused('/runs/r/resume', { method: 'POST' })).toBe('415 unsupported_media_type');
});

test('a limit that is refused is told with its place and its form', async () => {
  const { body } = await office.post('/runs', {
    agent: 'echo',
    input: 1,
    limits: { steps: -1, wallClock: 'x' },
  });
  expect(body.detail).toContain('body.limits.steps');
  expect(body.detail).toContain("body.limits.wallClock: expected a duration such as '90s'");
});

test('unknown runs, routes and methods are problems', async () => {
  expect(await refused('/runs/run_x', {})).toBe('404 unknown_run');
  expect(await refused('/runs/run_x/events', {})).toBe('404 unknown_run');
  expect(await refused('/runs/run_x/verify', {})).toBe('404 unknown_run');
  expect(await refused('/runs/run_x/messages', post('{"text":"x"}'))).toBe('404 unknown_run');
  expect(await refused('/runs/run_x/signals', post('{"name":"x"}'))).toBe('404 unknown_run');
  expect(await refused('/runs/run_x/cancel', post('{}'))).toBe('404 unknown_run');
  expect(await refused('/runs/run_x/resume', post('{"mode":"verbatim"}'))).toBe('404 unknown_run');
  expect(await refused('/runs/run_x/fork', post('{}'))).toBe('404 unknown_route');
  expect(await refused('/runs/run_x/cancel', {})).toBe('405 method_not_allowed');
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

import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { type Answered, openOffice } from './office.ts';

const documentSchema = z.object({
  openapi: z.literal('3.1.0'),
  paths: z.record(
    z.string(),
    z.record(z.string(), z.looseObject({ responses: z.record(z.string(), z.unknown()) })),
  ),
  components: z.object({ schemas: z.record(z.string(), z.unknown()) }),
});

async function read() {
  const { status, body } = await openOffice().get('/openapi.json');
  expect(status).toBe(200);
  return { raw: body as unknown as Record<string, unknown>, ...documentSchema.parse(body) };
}

test('the document is valid OpenAPI 3.1', async () => {
  const { raw } = await read();
  const validator = new Validator();
  expect(await validator.validate(raw)).toEqual({ valid: true });
  expect(validator.version).toBe('3.1');
});

test('it describes the routes of this release, and no other', async () => {
  const { paths } = await read();
  const routes = Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(routes.sort()).toEqual([
    'GET /health',
    'GET /interrupts',
    'GET /openapi.json',
    'GET /runs',
    'GET /runs/{runId}',
    'GET /runs/{runId}/blobs/{sha256}',
    'GET /runs/{runId}/events',
    'GET /runs/{runId}/verify',
    'POST /runs',
    'POST /runs/{runId}/cancel',
    'POST /runs/{runId}/interrupts/{interruptId}/decision',
    'POST /runs/{runId}/messages',
    'POST /runs/{runId}/resume',
    'POST /runs/{runId}/signals',
  ]);
});

test('every reference leads somewhere', async () => {
  const { raw, components } = await read();
  // A schema with an id of its own would make references resolve against that.
  expect(JSON.stringify(raw)).not.toContain('"$id"');
  const refs = [...JSON.stringify(raw).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref);
  expect(refs.length).toBeGreaterThan(10);
  for (const ref of refs) {
    expect(Object.keys(components.schemas).map((id) => `#/components/schemas/${id}`)).toContain(ref);
  }
});

/** What a document says, and nothing else: a member that it does not name is a misfit. */
function strict(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(strict);
  if (typeof schema !== 'object' || schema === null) return schema;
  const parts = Object.fromEntries(Object.entries(schema).map(([key, part]) => [key, strict(part)]));
  return 'properties' in parts ? { additionalProperties: false, ...parts } : parts;
}

test('what the API answers fits what the document says, and names nothing else', async () => {
  const office = openOffice();
  const { paths, components } = await read();
  const schemaOf = (path: string, method: string, status: string) => {
    const response = paths[path]?.[method]?.responses[status] as {
      content: Record<string, { schema: object }>;
    };
    const schema = Object.values(response.content)[0]?.schema;
    // zod reads references from `$defs`.
    const text = JSON.stringify(strict({ ...schema, $defs: components.schemas }));
    return z.fromJSONSchema(JSON.parse(text.replaceAll('#/components/schemas/', '#/$defs/')));
  };
  const runId = await office.run('payer', { ask: 1 });
  const { interrupts } = (await office.get(`/runs/${runId}`)).body;
  const decision = `/runs/${runId}/interrupts/${interrupts[0]?.interruptId}/decision`;
  const spender = await office.run('spender');
  const boss = await office.run('boss');
  const waits = [spender, boss];
  for (const agent of ['pager', 'asker', 'waiter', 'sleeper', 'talker', 'pauper'])
    waits.push(await office.run(agent));
  const stopped = await office.run('waiter');
  const cancel = await office.post(`/runs/${stopped}/cancel`, { reason: 'enough' });
  await office.drive();
  const child = (await office.get(`/runs/${boss}`)).body.interrupts[0]?.child?.runId;
  const cases: [path: string, method: string, status: string, answer: Answered][] = [
    ['/runs', 'post', '202', await office.post('/runs', { agent: 'pager', input: 'go' })],
    [
      '/runs',
      'post',
      '422',
      await office.post('/runs', { agent: 'pager', input: 'go', limits: { depth: 9 } }),
    ],
    ['/runs', 'get', '200', await office.get('/runs')],
    ['/runs/{runId}/verify', 'get', '200', await office.get(`/runs/${runId}/verify`)],
    ['/interrupts', 'get', '200', await office.get('/interrupts')],
    ['/runs/{runId}/messages', 'post', '202', await office.post(`/runs/${runId}/messages`, { text: 'x' })],
    ['/runs/{runId}/messages', 'post', '409', await office.post(`/runs/${stopped}/messages`, { text: 'x' })],
    ['/runs/{runId}/signals', 'post', '202', await office.post(`/runs/${runId}/signals`, { name: 'x' })],
    ['/runs/{runId}/cancel', 'post', '202', cancel],
    [
      '/runs/{runId}/resume',
      'post',
      '422',
      await office.post(`/runs/${spender}/resume`, { mode: 'verbatim' }),
    ],
    ['/runs/{runId}/resume', 'post', '409', await office.post(`/runs/${runId}/resume`, { mode: 'verbatim' })],
    [
      '/runs/{runId}/resume',
      'post',
      '200',
      await office.post(`/runs/${spender}/resume`, { mode: 'verbatim', limits: { steps: 9 } }),
    ],
    [
      '/runs/{runId}/interrupts/{interruptId}/decision',
      'post',
      '422',
      await office.post(decision, { decision: 'retry' }),
    ],
    [
      '/runs/{runId}/interrupts/{interruptId}/decision',
      'post',
      '200',
      await office.post(decision, { decision: 'approve', note: 'ok' }),
    ],
    ['/runs/{runId}', 'get', '404', await office.get('/runs/none')],
  ];
  for (const id of [runId, stopped, child, ...waits]) {
    cases.push(['/runs/{runId}', 'get', '200', await office.get(`/runs/${id}`)]);
    cases.push(['/runs/{runId}/events', 'get', '200', await office.get(`/runs/${id}/events`)]);
  }
  for (const [path, method, status, answer] of cases) {
    expect(String(answer.status), `${method} ${path}`).toBe(status);
    const { error } = schemaOf(path, method, status).safeParse(answer.body);
    expect(error, `${method} ${path} ${JSON.stringify(answer.body)}`).toBeUndefined();
  }
});

test('the document has the version of the package', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  expect((await read()).raw.info).toMatchObject({ version });
});

import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { openOffice } from './office.ts';

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
    'POST /runs/{runId}/interrupts/{interruptId}/decision',
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

test('what the API answers fits what the document says', async () => {
  const office = openOffice();
  const { paths, components } = await read();
  const schemaOf = (path: string, method: string, status: string) => {
    const response = paths[path]?.[method]?.responses[status] as {
      content: Record<string, { schema: object }>;
    };
    const schema = Object.values(response.content)[0]?.schema;
    // zod reads references from `$defs`.
    const text = JSON.stringify({ ...schema, $defs: components.schemas });
    return z.fromJSONSchema(JSON.parse(text.replaceAll('#/components/schemas/', '#/$defs/')));
  };
  const runId = await office.run('payer', { ask: 1 });
  const { interrupts } = (await office.get(`/runs/${runId}`)).body;
  const decision = `/runs/${runId}/interrupts/${interrupts[0]?.interruptId}/decision`;
  const cases = [
    ['/runs', 'post', '202', await office.post('/runs', { agent: 'pager', input: 'go' })],
    ['/runs', 'get', '200', await office.get('/runs')],
    ['/runs/{runId}', 'get', '200', await office.get(`/runs/${runId}`)],
    ['/runs/{runId}/events', 'get', '200', await office.get(`/runs/${runId}/events`)],
    ['/runs/{runId}/verify', 'get', '200', await office.get(`/runs/${runId}/verify`)],
    ['/interrupts', 'get', '200', await office.get('/interrupts')],
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
  ] as const;
  for (const [path, method, status, answer] of cases) {
    expect(String(answer.status)).toBe(status);
    expect(schemaOf(path, method, status).safeParse(answer.body).error, `${method} ${path}`).toBeUndefined();
  }
});

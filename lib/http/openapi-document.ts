import * as z from 'zod';
import { PROBLEMS, type ProblemCode } from './problem.ts';
import type { Route } from './route.ts';
import { namedSchemas } from './schemas/named.ts';
import { problemSchema } from './schemas/problem.ts';

type JsonSchema = Record<string, unknown>;

/** The OpenAPI 3.1 document of some routes; its schemas are the ones that requests are checked by. */
export function openApiDocument(routes: readonly Route[]): object {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method]: operationOf(route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Stepfold',
      version: '0.1.0',
      description: 'Durable AI agents: start runs, read their logs, decide what waits for people.',
    },
    paths,
    components: {
      schemas: components(),
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    },
  };
}

function operationOf(route: Route): JsonSchema {
  return {
    operationId: route.operationId,
    summary: route.summary,
    ...(!route.open && { security: [{}, { bearer: [] }] }),
    parameters: [
      ...parameters(route.params, 'path'),
      ...parameters(route.query, 'query'),
      ...parameters(route.headers, 'header'),
    ],
    ...(route.body && {
      requestBody: {
        required: !route.bodyOptional,
        content: { 'application/json': { schema: schemaOf(route.body) } },
      },
    }),
    responses: { ...answers(route), ...problems(route) },
  };
}

function parameters(schema: z.ZodObject | undefined, place: 'path' | 'query' | 'header'): JsonSchema[] {
  return Object.entries(schema?.shape ?? {}).map(([name, value]) => {
    const { description, ...rest } = schemaOf(value as z.ZodType);
    const required = place === 'path' || !(value as z.ZodType).safeParse(undefined).success;
    return {
      name: place === 'header' ? headerName(name) : name,
      in: place,
      required,
      ...(description ? { description } : {}),
      schema: rest,
    };
  });
}

function headerName(name: string): string {
  return name.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase());
}

function answers(route: Route): JsonSchema {
  const entries = Object.entries(route.answers).map(([status, { description, schema }]) => [
    status,
    { description, ...(schema && { content: { 'application/json': { schema: schemaOf(schema) } } }) },
  ]);
  return Object.fromEntries(entries);
}

/** The codes of a route under their statuses, with those that its checks can give. */
function problems(route: Route): JsonSchema {
  const codes = new Set<ProblemCode>(route.problems);
  if (!route.open) codes.add('unauthorized');
  if (route.params) codes.add('bad_id');
  if (route.query) codes.add('bad_query');
  if (route.headers) codes.add('bad_key');
  if (route.body) {
    for (const code of [
      'malformed_json',
      'bad_body',
      'unknown_property',
      'body_too_large',
      'unsupported_media_type',
    ] as const) {
      codes.add(code);
    }
  }
  const content = { 'application/problem+json': { schema: schemaOf(problemSchema) } };
  const byStatus: JsonSchema = { default: { description: 'Any other problem', content } };
  for (const status of new Set([...codes].map((code) => PROBLEMS[code][0]))) {
    const here = [...codes].filter((code) => PROBLEMS[code][0] === status);
    byStatus[status] = { description: here.join(', '), content };
  }
  return byStatus;
}

/** A named schema becomes a reference to its component; what is left is parameters, which are described as they are read. */
function schemaOf(schema: z.ZodType): JsonSchema {
  const id = namedSchemas.get(schema)?.id;
  return id ? { $ref: uri(id) } : bare(z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' }));
}

function components(): Record<string, JsonSchema> {
  const { schemas } = z.toJSONSchema(namedSchemas, { uri, io: 'input', unrepresentable: 'any' });
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, bare(schema)]));
}

function uri(id: string): string {
  return `#/components/schemas/${id}`;
}

function bare({ $schema: _, $id: __, ...schema }: JsonSchema): JsonSchema {
  return schema;
}

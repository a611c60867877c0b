import { type Context, Hono } from 'hono';
import { StepfoldError } from '../core/errors.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { checkInput } from './check-input.ts';
import type { Identify, Identity } from './identity.ts';
import { problemResponse } from './problem.ts';
import { readJsonBody } from './read-json-body.ts';
import type { AppContext, Route } from './route.ts';
import { cancelRunRoute } from './routes/cancel-run.ts';
import { decideRoute } from './routes/decide.ts';
import { getRunRoute } from './routes/get-run.ts';
import { healthRoute } from './routes/health.ts';
import { listInterruptsRoute } from './routes/list-interrupts.ts';
import { listRunsRoute } from './routes/list-runs.ts';
import { openApiRoute } from './routes/openapi.ts';
import { readBlobRoute } from './routes/read-blob.ts';
import { readEventsRoute } from './routes/read-events.ts';
import { resumeRunRoute } from './routes/resume-run.ts';
import { sendMessageRoute } from './routes/send-message.ts';
import { sendSignalRoute } from './routes/send-signal.ts';
import { startRunRoute } from './routes/start-run.ts';
import { verifyRunRoute } from './routes/verify-run.ts';

export interface AppOptions {
  runtime: Runtime;
  identify: Identify;
  /** Whether a `by` in a body counts: only where everybody who gets through is trusted. @default false */
  trustBody?: boolean;
}

const described = [
  startRunRoute,
  listRunsRoute,
  getRunRoute,
  readEventsRoute,
  readBlobRoute,
  sendMessageRoute,
  sendSignalRoute,
  cancelRunRoute,
  resumeRunRoute,
  decideRoute,
  listInterruptsRoute,
  verifyRunRoute,
  healthRoute,
];
const routes: readonly Route[] = [...described, openApiRoute(described)];

/** The HTTP API, the same in every world. Errors are RFC 9457 problems with a stable `code`. */
export function createApp({ runtime, identify, trustBody = false }: AppOptions): Hono {
  const app = new Hono();
  const context: AppContext = { runtime, trustBody };
  for (const route of routes) {
    app.on(route.method.toUpperCase(), honoPath(route.path), (c) => answer(c, route, { context, identify }));
  }
  for (const path of new Set(routes.map((route) => route.path))) {
    app.all(honoPath(path), (c) => problemResponse(methodNotAllowed(c.req.method, path)));
  }
  app.notFound((c) => problemResponse(unknownRoute(c.req.method, c.req.path)));
  app.onError((error, c) => {
    const response = problemResponse(error);
    if (response.status >= 500) reportFault(runtime, c, error);
    return response;
  });
  return app;
}

async function answer(
  c: Context,
  route: Route,
  { context, identify }: { context: AppContext; identify: Identify },
): Promise<Response> {
  const identity = route.open ? NOBODY : await identify(c.req.raw);
  if (!identity) {
    throw new StepfoldError(
      'unauthorized',
      'expected credentials that this server knows, such as `Authorization: Bearer <token>`',
    );
  }
  const given = await route.handle(
    {
      params: route.params && checkInput('path', route.params, c.req.param()),
      query: route.query && checkInput('query', route.query, queryOf(c)),
      headers: route.headers && checkInput('headers', route.headers, c.req.header()),
      body:
        route.body &&
        checkInput('body', route.body, await readJsonBody(c.req.raw, { optional: route.bodyOptional })),
      identity,
      signal: c.req.raw.signal,
    },
    context,
  );
  const response = given instanceof Response ? given : Response.json(given.body, { status: given.status });
  if (!response.headers.has('cache-control')) response.headers.set('cache-control', 'no-store');
  response.headers.set('x-content-type-options', 'nosniff');
  return response;
}

/** A parameter that is given twice would mean one of its values, and nobody could tell which. */
function queryOf(c: Context): Record<string, string> {
  const given = Object.entries(c.req.queries());
  const repeated = given.filter(([, values]) => values.length > 1).map(([name]) => `query.${name}`);
  if (repeated.length === 0) return c.req.query();
  const issues = repeated.map((where) => ({ where, message: 'expected once' }));
  throw new StepfoldError('bad_query', `${repeated.join(', ')}: expected once, got several`, {
    details: { issues },
  });
}

const NOBODY: Identity = { tenant: '', by: '' };

function honoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

function methodNotAllowed(method: string, path: string): StepfoldError {
  const allow = routes.filter((route) => route.path === path).map((route) => route.method.toUpperCase());
  return new StepfoldError(
    'method_not_allowed',
    `expected ${allow.join(' or ')} for ${path}, got ${method}`,
    { details: { allow } },
  );
}

function unknownRoute(method: string, path: string): StepfoldError {
  return new StepfoldError(
    'unknown_route',
    `expected a route of this API (GET /openapi.json lists them), got ${method} ${path}`,
  );
}

function reportFault(runtime: Runtime, c: Context, error: Error): void {
  runtime.report({
    level: 'error',
    message: `${c.req.method} ${c.req.routePath} failed`,
    fields: { error: error.stack ?? String(error) },
  });
}

import * as z from 'zod';
import { openApiDocument } from '../openapi-document.ts';
import { defineRoute, type Route } from '../route.ts';

/** The route that describes the others and itself. */
export function openApiRoute(routes: readonly Route[]): Route {
  let document: object | undefined;
  const route: Route = defineRoute({
    method: 'get',
    path: '/openapi.json',
    operationId: 'openapi',
    summary: 'Describe this API (OpenAPI 3.1)',
    answers: { 200: { description: 'The OpenAPI document.', schema: z.looseObject({}) } },
    problems: [],
    handle() {
      document ??= openApiDocument([...routes, route]);
      return { status: 200, body: document };
    },
  });
  return route;
}

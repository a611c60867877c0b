import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';

/** An answer by RFC 9457 that ends the request. `code` is stable and meant for programs. */
export class Problem extends HTTPException {
  readonly code: string;

  constructor(status: ContentfulStatusCode, code: string, detail: string) {
    super(status, { message: detail });
    this.code = code;
  }
}

/** Turns what a handler threw into `problem+json`. */
export function answerProblem(error: Error, c: Context): Response {
  const status = error instanceof HTTPException ? error.status : 500;
  const code = error instanceof Problem ? error.code : status === 500 ? 'internal' : 'bad_request';
  if (status === 500) console.error(error);
  const body = { type: 'about:blank', title: code.replaceAll('_', ' '), status, code, detail: error.message };
  return c.body(JSON.stringify(body), status as ContentfulStatusCode, {
    'Content-Type': 'application/problem+json',
  });
}

import type * as z from 'zod';
import type { Runtime } from '../runtime/runtime.ts';
import type { Identity } from './identity.ts';
import type { ProblemCode } from './problem.ts';

/** One route: what it takes, what it answers, and what it does. The OpenAPI document is made from this. */
export interface Route {
  readonly method: 'get' | 'post';
  /** As OpenAPI writes it: `/runs/{runId}`. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  readonly body?: z.ZodType;
  /** A request without a body counts as one with an empty object. */
  readonly bodyOptional?: true;
  /** Answered without asking who is there. */
  readonly open?: true;
  readonly answers: Readonly<Record<number, { description: string; schema?: z.ZodType }>>;
  /** The codes that are this route's own. */
  readonly problems: readonly ProblemCode[];
  handle(request: Checked, app: AppContext): Promise<Answer> | Answer;
}

/** What every route works with. */
export interface AppContext {
  readonly runtime: Runtime;
  /** Whether a `by` in a body counts. */
  readonly trustBody: boolean;
}

/** A request whose parts fit the route's schemas. */
interface Checked {
  readonly params: unknown;
  readonly query: unknown;
  readonly headers: unknown;
  readonly body: unknown;
  readonly identity: Identity;
  /** Aborts when the client goes away. */
  readonly signal: AbortSignal;
}

type Answer = { readonly status: number; readonly body: unknown } | Response;

type Out<S> = S extends z.ZodType ? z.output<S> : undefined;
type Definition<P, Q, H, B> = Omit<Route, 'params' | 'query' | 'headers' | 'body' | 'handle'> & {
  params?: P;
  query?: Q;
  headers?: H;
  body?: B;
  handle(
    request: Omit<Checked, 'params' | 'query' | 'headers' | 'body'> & {
      params: Out<P>;
      query: Out<Q>;
      headers: Out<H>;
      body: Out<B>;
    },
    app: AppContext,
  ): Promise<Answer> | Answer;
};

/** Gives the handler the types of the route's schemas. */
export function defineRoute<
  P extends z.ZodObject | undefined = undefined,
  Q extends z.ZodObject | undefined = undefined,
  H extends z.ZodObject | undefined = undefined,
  B extends z.ZodType | undefined = undefined,
>(route: Definition<P, Q, H, B>): Route {
  return route as unknown as Route;
}

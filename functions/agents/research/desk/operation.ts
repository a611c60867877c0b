import { setTimeout as wait } from 'node:timers/promises';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context, Handler } from 'hono';
import type * as z from 'zod';
import { transaction } from './database.ts';
import type { Desk } from './desk.ts';
import type { Route } from './faults.ts';
import { jsonBody } from './json-body.ts';
import { Problem } from './problem.ts';

type Bindings = { Bindings: HttpBindings };

interface Received<Body> {
  c: Context<Bindings>;
  body: Body;
  key: string | null;
  /** The `:id` of the path. */
  id: string;
}

interface Operation<Body> {
  route: Route;
  /** The schema of the JSON body; an operation without one changes nothing. */
  body?: z.ZodType<Body>;
  /** Whether a known idempotency key is answered with its first result. @default false */
  honoursKey?: boolean;
  work: (request: Received<Body>) => object;
}

/**
 * The handler of one operation: record the request, wait as told, work, wait as told, answer or hang up.
 *
 * The work is done even when the client is gone by then: that is how the request of a dead worker lands late.
 */
export function operation<Body>(desk: Desk, spec: Operation<Body>): Handler<Bindings> {
  return async (c) => {
    const { pathname, search } = new URL(c.req.url);
    const key = c.req.header('idempotency-key') ?? null;
    const text = await c.req.text();
    const { route } = spec;
    const number = desk.record.received({
      route,
      method: c.req.method,
      path: pathname + search,
      key,
      body: text || null,
    });
    try {
      if (desk.faults.down) throw new Problem(503, 'down', 'the desk was told to be down');
      await wait(desk.faults.of(route).delayBefore);
      const body = spec.body ? jsonBody(text, c.req.header('content-type'), spec.body) : (undefined as Body);
      const result = perform(desk, spec, {
        number,
        request: pathname + text,
        received: { c, body, key, id: c.req.param('id') ?? '' },
      });
      await wait(desk.faults.of(route).delayAfter);
      if (desk.faults.takeDrop(route)) {
        desk.record.answered(number, 'dropped');
        c.env.incoming.socket.destroy();
        return RESPONSE_ALREADY_SENT;
      }
      desk.record.answered(number, c.env.incoming.socket.destroyed ? 'gone' : 'sent');
      return c.json(result);
    } catch (error) {
      if (error instanceof Problem) {
        desk.record.did(number, error.code === 'down' ? 'down' : 'refused', error.status);
        desk.record.answered(number, 'sent');
      }
      throw error;
    }
  };
}

interface Performance<Body> {
  /** The request's number in the record. */
  number: number;
  /** What must be the same when its key comes again. */
  request: string;
  received: Received<Body>;
}

/** One transaction: the work, the memory of its key, and the record of what was done. */
function perform<Body>(
  desk: Desk,
  spec: Operation<Body>,
  { number, request, received }: Performance<Body>,
): object {
  const { key } = received;
  const keyed = spec.honoursKey && key !== null ? { route: spec.route, key, request } : undefined;
  return transaction(desk.database, () => {
    const known = keyed && desk.keys.resultOf(keyed, desk.faults.keyWindow);
    if (known) {
      desk.record.did(number, 'replayed', 200);
      return known;
    }
    const result = spec.work(received);
    if (keyed) desk.keys.remember(keyed, result);
    desk.record.did(number, spec.body ? 'applied' : 'read', 200);
    return result;
  });
}

import { resolve } from 'node:path';
import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { Desk } from './desk.ts';
import { controlSchema } from './faults.ts';
import { jsonBody } from './json-body.ts';
import { operation } from './operation.ts';
import { answerProblem, Problem } from './problem.ts';
import { closeSchema, commentSchema, pageSchema, ticketSchema } from './tickets.ts';

const BODY_LIMIT = 64 * 1024;

/**
 * The desk over HTTP. Comments and closing honour an `Idempotency-Key`; tickets only remember theirs, to be asked by;
 * pages do neither.
 *
 * @param refuse accepts no connection for so many ms, from the end of the present answer on.
 */
export function deskApp(desk: Desk, refuse: (ms: number) => void): Hono<{ Bindings: HttpBindings }> {
  const app = new Hono<{ Bindings: HttpBindings }>();
  app.onError(answerProblem);
  app.use(
    bodyLimit({
      maxSize: BODY_LIMIT,
      onError: () => {
        throw new Problem(413, 'too_large', `expected a body of at most ${BODY_LIMIT} bytes`);
      },
    }),
  );
  addOperations(app, desk);

  app.get('/health', (c) => c.json({ service: 'ticket-desk', pid: process.pid, data: resolve(desk.file) }));
  app.get('/requests', (c) => c.json({ requests: desk.record.all() }));
  app.get('/control', (c) => c.json(desk.faults.toJSON()));
  app.post('/control', async (c) => {
    const control = jsonBody(await c.req.text(), c.req.header('content-type'), controlSchema);
    desk.faults.apply(control);
    if (typeof control.down === 'object') {
      c.header('Connection', 'close');
      refuse(control.down.refuseFor);
    }
    return c.json(desk.faults.toJSON());
  });
  return app;
}

function addOperations(app: Hono<{ Bindings: HttpBindings }>, desk: Desk): void {
  const { tickets } = desk;
  const create = operation(desk, {
    route: 'create_ticket',
    body: ticketSchema,
    work: ({ body, key }) => tickets.create(body, key),
  });
  const comment = operation(desk, {
    route: 'post_comment',
    body: commentSchema,
    honoursKey: true,
    work: ({ body, key, id }) => tickets.comment(id, body, key),
  });
  const close = operation(desk, {
    route: 'close_ticket',
    body: closeSchema,
    honoursKey: true,
    work: ({ body, id }) => tickets.close(id, body),
  });
  const page = operation(desk, {
    route: 'page_oncall',
    body: pageSchema,
    work: ({ body, key }) => tickets.page(body, key),
  });
  const find = operation(desk, {
    route: 'find_ticket',
    work: ({ c }) => ({ tickets: tickets.withKey(c.req.query('key') ?? '') }),
  });
  const read = (work: (id: string) => object) =>
    operation(desk, { route: 'read', work: ({ id }) => work(id) });
  const list = read(() => ({ tickets: tickets.all() }));

  app.post('/tickets', create);
  app.post('/tickets/:id/comments', comment);
  app.post('/tickets/:id/close', close);
  app.post('/pages', page);
  app.get('/tickets', (c, next) => (c.req.query('key') === undefined ? list(c, next) : find(c, next)));
  app.get(
    '/tickets/:id',
    read((id) => tickets.one(id)),
  );
  app.get(
    '/tickets/:id/comments',
    read((id) => ({ comments: tickets.comments(id) })),
  );
  app.get(
    '/comments',
    read(() => ({ comments: tickets.comments() })),
  );
  app.get(
    '/pages',
    read(() => ({ pages: tickets.pages() })),
  );
  app.notFound(
    operation(desk, {
      route: 'unknown',
      work: ({ c }) => {
        throw new Problem(
          404,
          'unknown_route',
          `expected a route of the desk; got ${c.req.method} ${c.req.path}`,
        );
      },
    }) as never,
  );
}

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openDesk } from '../../functions/agents/research/desk/desk.ts';
import { DeskProcess, deskFile } from './desk-process.ts';

const ticket = { title: 'Checkout fails', body: 'Since 09:12.' };
/** Waits as long as a busy machine may need. */
const until = (check: () => Promise<void>) => vi.waitFor(check, 20_000);

let file: string;
let desk: DeskProcess;

beforeEach(async () => {
  file = deskFile();
  desk = await DeskProcess.start(file);
});
afterEach(async () => {
  await desk.end();
});

describe('the ticket desk', () => {
  test('keeps tickets, comments and pages', async () => {
    const created = await (await desk.post('/tickets', ticket)).json();
    expect(created).toMatchObject({ id: 'T-1', status: 'open', ...ticket });
    await desk.post('/tickets/T-1/comments', { text: 'rolled back' });
    await desk.post('/pages', { severity: 'high', message: 'look at T-1' });
    const closed = await (await desk.post('/tickets/T-1/close', { resolution: 'done' })).json();

    expect(closed).toMatchObject({ id: 'T-1', status: 'closed', resolution: 'done' });
    expect(await desk.get('/tickets')).toEqual({ tickets: [closed] });
    expect(await desk.get('/tickets/T-1')).toEqual(closed);
    expect(await desk.get('/tickets/T-1/comments')).toMatchObject({
      comments: [{ ticket: 'T-1', text: 'rolled back' }],
    });
    expect(await desk.get('/comments')).toMatchObject({ comments: [{ id: 'C-1' }] });
    expect(await desk.get('/pages')).toMatchObject({ pages: [{ id: 'P-1', severity: 'high' }] });
  });

  test('shows a ticket that was sent twice as two, and finds both by their key', async () => {
    await desk.post('/tickets', ticket, 'run:4');
    await desk.post('/tickets', ticket, 'run:4');
    await desk.post('/tickets', ticket, 'run:9');
    expect(await desk.get('/tickets?key=run:4')).toMatchObject({ tickets: [{ id: 'T-1' }, { id: 'T-2' }] });
    expect(await desk.get('/tickets?key=run:5')).toEqual({ tickets: [] });
  });

  test('pages again for every request, whatever its key', async () => {
    await desk.post('/pages', { severity: 'low', message: 'hello' }, 'run:6');
    await desk.post('/pages', { severity: 'low', message: 'hello' }, 'run:6');
    expect(await desk.get('/pages')).toMatchObject({ pages: [{ id: 'P-1' }, { id: 'P-2' }] });
  });

  test.each([
    ['malformed JSON', '/tickets', '{"title"', 'application/json', 400, 'malformed_json'],
    ['a body that does not fit', '/tickets', '{"title":"x"}', 'application/json', 400, 'invalid_body'],
    [
      'an unknown property',
      '/pages',
      '{"severity":"low","message":"x","to":"me"}',
      'application/json',
      400,
      'invalid_body',
    ],
    ['another content type', '/tickets', JSON.stringify(ticket), 'text/plain', 415, 'not_json'],
    ['an unknown ticket', '/tickets/T-7/comments', '{"text":"x"}', 'application/json', 404, 'unknown_ticket'],
    ['an unknown route', '/nowhere', '{}', 'application/json', 404, 'unknown_route'],
    [
      'a large body',
      '/tickets',
      JSON.stringify({ title: 'x', body: 'x'.repeat(70_000) }),
      'application/json',
      413,
      'too_large',
    ],
    ['a wrong control', '/control', '{"keyWindow":"soon"}', 'application/json', 400, 'invalid_body'],
  ])('refuses %s as problem+json', async (_, path, body, type, status, code) => {
    const answer = await fetch(desk.url + path, { method: 'POST', headers: { 'Content-Type': type }, body });
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(await answer.json()).toMatchObject({ status, code, detail: expect.any(String) });
    expect(answer.status).toBe(status);
    expect(await desk.get('/tickets')).toEqual({ tickets: [] });
  });

  test('refuses to close a ticket twice', async () => {
    await desk.post('/tickets', ticket);
    await desk.post('/tickets/T-1/close', { resolution: 'done' }, 'run:8');
    const again = await desk.post('/tickets/T-1/close', { resolution: 'done' }, 'run:9');
    expect(await again.json()).toMatchObject({ status: 409, code: 'already_closed' });
  });
});

describe('an idempotency key', () => {
  beforeEach(async () => {
    await desk.post('/tickets', ticket);
  });

  test('gives the first answer again, and the work is done once', async () => {
    const comment = () => desk.post('/tickets/T-1/comments', { text: 'x' }, 'run:5');
    const first = await (await comment()).json();
    expect(await (await comment()).json()).toEqual(first);
    const close = () => desk.post('/tickets/T-1/close', { resolution: 'done' }, 'run:7');
    const closed = await (await close()).json();
    expect(await (await close()).json()).toEqual(closed);

    expect(await desk.get('/comments')).toMatchObject({ comments: [{ id: 'C-1' }] });
    const did = (await desk.requests()).map((request) => request.did);
    expect(did).toEqual(['applied', 'applied', 'replayed', 'applied', 'replayed']);
  });

  test('is the same work once, also when the second request overtakes the first', async () => {
    await desk.post('/control', { routes: { post_comment: { delayBefore: 1_500 } } });
    const slow = desk.post('/tickets/T-1/comments', { text: 'x' }, 'run:5');
    await until(async () => expect(await desk.requests()).toHaveLength(2));
    await desk.post('/control', { routes: { post_comment: { delayBefore: 0 } } });
    const fast = await (await desk.post('/tickets/T-1/comments', { text: 'x' }, 'run:5')).json();
    expect(await (await slow).json()).toEqual(fast);
    expect(await desk.get('/comments')).toMatchObject({ comments: [{ id: 'C-1' }] });
  });

  test('with another body is refused', async () => {
    await desk.post('/tickets/T-1/comments', { text: 'x' }, 'run:5');
    const other = await desk.post('/tickets/T-1/comments', { text: 'y' }, 'run:5');
    expect(await other.json()).toMatchObject({ status: 422, code: 'key_reused' });
  });

  test('is forgotten after its window, and the work is done again', async () => {
    await desk.post('/tickets/T-1/comments', { text: 'x' }, 'run:5');
    await desk.post('/control', { keyWindow: 0 });
    await desk.post('/tickets/T-1/comments', { text: 'x' }, 'run:5');
    expect(await desk.get('/comments')).toMatchObject({ comments: [{ id: 'C-1' }, { id: 'C-2' }] });
  });
});

describe('a desk that misbehaves', () => {
  test('drops the connection after the work for as many requests as it was told', async () => {
    await desk.post('/control', { routes: { create_ticket: { drop: 1 } } });
    await expect(desk.post('/tickets', ticket, 'run:4')).rejects.toThrow('fetch failed');
    expect((await desk.post('/tickets', ticket, 'run:5')).status).toBe(200);

    expect(await desk.get('/tickets?key=run:4')).toMatchObject({ tickets: [{ id: 'T-1' }] });
    const [dropped, sent] = await desk.requests();
    expect(dropped).toMatchObject({ key: 'run:4', did: 'applied', answer: 'dropped' });
    expect(sent).toMatchObject({ key: 'run:5', did: 'applied', answer: 'sent' });
  });

  test('is slow before the work, and does it when the client is long gone', async () => {
    await desk.post('/control', { routes: { page_oncall: { delayBefore: '1s' } } });
    const controller = new AbortController();
    const page = fetch(`${desk.url}/pages`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"severity":"high","message":"x"}',
      signal: controller.signal,
    });
    await until(async () =>
      expect(await desk.requests()).toMatchObject([{ did: 'received', answer: 'pending' }]),
    );
    expect(await desk.get('/pages')).toEqual({ pages: [] });
    controller.abort();
    await expect(page).rejects.toThrow('abort');
    await until(async () =>
      expect(await desk.requests()).toMatchObject([{ did: 'applied', answer: 'gone' }]),
    );
    expect(await desk.get('/pages')).toMatchObject({ pages: [{ id: 'P-1' }] });
  });

  test('is slow after the work', async () => {
    await desk.post('/control', { routes: { all: { delayAfter: '1h' } } });
    const unanswered = desk.post('/tickets', ticket).catch((error: unknown) => error);
    await until(async () =>
      expect(await desk.requests()).toMatchObject([{ did: 'applied', answer: 'pending' }]),
    );
    await desk.end();
    expect(await unanswered).toBeInstanceOf(Error);
  });

  test('is down with 503, records what came, and comes back', async () => {
    await desk.post('/control', { down: true });
    const answer = await desk.post('/tickets', ticket, 'run:4');
    expect(await answer.json()).toMatchObject({ status: 503, code: 'down' });
    expect(await desk.requests()).toMatchObject([{ key: 'run:4', did: 'down', status: 503 }]);
    await desk.post('/control', { down: false });
    expect((await desk.post('/tickets', ticket, 'run:4')).status).toBe(200);
  });

  test('refuses connections for a while, and listens again at the same port', async () => {
    await desk.post('/tickets', ticket);
    await desk.post('/control', { down: { refuseFor: '1500ms' } });
    await expect(desk.post('/tickets', ticket)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
    await until(async () => expect((await desk.post('/tickets', ticket)).status).toBe(200));
    expect(await desk.get('/tickets')).toMatchObject({ tickets: [{ id: 'T-1' }, { id: 'T-2' }] });
  });

  test('does as it is told at its start', async () => {
    const late = await DeskProcess.start(deskFile(), {
      keyWindow: '2s',
      routes: { create_ticket: { drop: 1 } },
    });
    try {
      await expect(late.post('/tickets', ticket)).rejects.toThrow();
      expect(await late.get('/control')).toMatchObject({
        keyWindow: 2_000,
        routes: { create_ticket: { drop: 0 } },
      });
    } finally {
      await late.end();
    }
  });
});

describe("the desk's record", () => {
  test('holds each request as it came', async () => {
    await desk.post('/tickets', ticket, 'run:4');
    await desk.post('/tickets', { title: '' }, 'run:5');
    await fetch(`${desk.url}/tickets?key=run:4`);
    expect(await desk.requests()).toMatchObject([
      {
        id: 1,
        route: 'create_ticket',
        method: 'POST',
        path: '/tickets',
        key: 'run:4',
        body: JSON.stringify(ticket),
        did: 'applied',
        status: 200,
      },
      { id: 2, route: 'create_ticket', key: 'run:5', did: 'refused', status: 400, answer: 'sent' },
      {
        id: 3,
        route: 'find_ticket',
        method: 'GET',
        path: '/tickets?key=run:4',
        key: null,
        body: null,
        did: 'read',
      },
    ]);
  });

  test('survives kill -9 with what arrived and was not done yet, and the next desk goes on from it', async () => {
    await desk.post('/tickets', ticket, 'run:4');
    await desk.post('/control', { routes: { page_oncall: { delayBefore: '1h' } } });
    const lost = desk
      .post('/pages', { severity: 'high', message: 'x' }, 'run:6')
      .catch((error: unknown) => error);
    await until(async () => expect(await desk.requests()).toHaveLength(2));
    await desk.end('SIGKILL');
    expect(await lost).toBeInstanceOf(Error);

    const left = openDesk(file);
    expect(left.record.all()).toMatchObject([
      { key: 'run:4', did: 'applied' },
      { key: 'run:6', route: 'page_oncall', did: 'received', answer: 'pending' },
    ]);
    expect([left.tickets.all().length, left.tickets.pages().length]).toEqual([1, 0]);
    left.database.close();

    desk = await DeskProcess.start(file);
    expect(await (await desk.post('/tickets', ticket)).json()).toMatchObject({ id: 'T-2' });
  });

  test('can be read while the desk works', async () => {
    const reader = openDesk(file);
    await desk.post('/tickets', ticket, 'run:4');
    expect(reader.record.all()).toMatchObject([{ key: 'run:4' }]);
    reader.database.close();
  });
});

test('the desk ends by itself when it is told to, and says who it is', async () => {
  expect(await desk.get('/health')).toEqual({ service: 'ticket-desk', pid: desk.pid, data: file });
  expect(await desk.end()).toBe(0);
});

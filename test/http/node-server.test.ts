import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { listen, type NodeServer, type ServerOptions } from '../../lib/http/node-server.ts';
import { openOffice } from './office.ts';

const opened: NodeServer[] = [];
afterEach(async () => {
  for (const server of opened.splice(0)) await server.close();
});

async function start(options: Partial<ServerOptions> = {}) {
  const office = openOffice();
  const server = await listen({ port: 0, fetch: office.fetch, ...options });
  opened.push(server);
  return { office, server, url: server.url, port: Number(new URL(server.url).port) };
}

/** Sends bytes as they are and gives what comes back. */
async function send(port: number, request: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(request);
  return text(socket);
}

const START = { agent: 'echo', input: 'go' };
const post = (headers: Record<string, string> = {}) => ({
  method: 'POST',
  body: JSON.stringify(START),
  headers: { 'content-type': 'application/json', ...headers },
});

test('only a host of this machine is served, so that no name can be made to lead here', async () => {
  const { office, port } = await start();
  const answer = await send(
    port,
    `GET /runs HTTP/1.1\r\nHost: evil.example:${port}\r\nConnection: close\r\n\r\n`,
  );
  expect(answer).toMatch(/^HTTP\/1.1 403 /);
  expect(answer).toContain('bad_host');
  const local = await send(
    port,
    `GET /health HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: close\r\n\r\n`,
  );
  expect(local).toMatch(/^HTTP\/1.1 200 /);
  expect(office.writes).toEqual([]);
});

test("a write of another site's page is refused", async () => {
  const { office, url } = await start();
  for (const origin of ['https://evil.example', 'http://127.0.0.1:1', 'null']) {
    const response = await fetch(`${url}/runs`, post({ origin }));
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ code: 'cross_site' });
  }
  expect(office.writes).toEqual([]);
  expect((await fetch(`${url}/runs`, post({ origin: url }))).status).toBe(202);
});

test('what is no HTTP path is a problem', async () => {
  const { port } = await start();
  const answer = await send(
    port,
    `GET /runs\\..\\x HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`,
  );
  expect(answer).toMatch(/^HTTP\/1.1 400 /);
  expect(answer).toContain('malformed_request');
});

test('a chunked body without a length is read no further than the limit', async () => {
  const { office, url } = await start();
  let left = 4;
  const body = new ReadableStream({
    pull(controller) {
      controller.enqueue(new Uint8Array(1_000_000).fill(0x20));
      left -= 1;
      if (left === 0) controller.close();
    },
  });
  const response = await fetch(`${url}/runs`, { ...post(), body, duplex: 'half' } as RequestInit);
  expect(response.status).toBe(413);
  expect(office.writes).toEqual([]);
});

test('another address needs a token', async () => {
  await expect(start({ host: '0.0.0.0' })).rejects.toMatchObject({ code: 'token_required' });
  const { port } = await start({ host: '0.0.0.0', token: 'secret' });
  const answer = await send(port, `GET /health HTTP/1.1\r\nHost: box.example\r\nConnection: close\r\n\r\n`);
  expect(answer).toMatch(/^HTTP\/1.1 200 /);
});

test('a port in use is named', async () => {
  const { port } = await start();
  await expect(start({ port })).rejects.toMatchObject({ code: 'port_in_use', details: { port } });
});

test('a client that hangs up ends its wait', async () => {
  const { office, url, port } = await start();
  const { runId } = (await (await fetch(`${url}/runs`, post())).json()) as { runId: string };
  let reads = 0;
  const { read } = office.world.log;
  office.world.log.read = (...args) => {
    reads += 1;
    return read(...args);
  };
  const socket = connect(port, '127.0.0.1');
  socket.write(`GET /runs/${runId}?wait=20 HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
  await sleep(300);
  expect(reads).toBeGreaterThan(0);
  socket.destroy();
  await once(socket, 'close');
  await sleep(150);
  const until = reads;
  await sleep(300);
  expect(reads).toBe(until);
});

test('a client that hangs up in the middle of its upload is no fault of the server', async () => {
  const { office, port } = await start();
  for (const how of ['Content-Length: 1000', 'Transfer-Encoding: chunked']) {
    const socket = connect(port, '127.0.0.1');
    socket.write(
      `POST /runs HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\n${how}\r\n\r\n`,
    );
    socket.write('5\r\n{"age\r\n');
    await sleep(100);
    socket.destroy();
    await sleep(100);
  }
  expect(office.reports).toEqual([]);
  expect(office.writes).toEqual([]);
});

test('closing does not wait for those who wait', async () => {
  const { server, url } = await start();
  const { runId } = (await (await fetch(`${url}/runs`, post())).json()) as { runId: string };
  const waiting = fetch(`${url}/runs/${runId}?wait=20`).catch((error) => error);
  await sleep(100);
  const began = performance.now();
  await server.close();
  expect(performance.now() - began).toBeLessThan(3_000);
  expect(await waiting).toBeInstanceOf(Error);
});

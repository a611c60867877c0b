import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** What a service was sent: the body is its bytes as text. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What a service answers to one request. */
export interface Reply {
  /** @default 200 */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as it is where it is a string, else as its JSON text. */
  readonly body?: unknown;
  /**
   * `body`: the connection is cut in the middle of the body. `end`: the body ends in its middle as if it were whole.
   * `before`: the connection is cut before the first byte. `hang`: nothing ever comes.
   */
  readonly cut?: 'body' | 'end' | 'before' | 'hang';
}

/** A service on this machine whose n-th request gets the n-th reply. It ends with its test. */
export async function fakeService(script: readonly Reply[]) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { url: path = '', headers } = request;
    received.push({ path, headers, body: Buffer.concat(chunks).toString() });
    const { status = 200, headers: own, body = {}, cut } = script[received.length - 1] ?? ENDED;
    if (cut === 'hang') return;
    if (cut === 'before') return void request.socket.destroy();
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    response.writeHead(status, { 'content-type': 'application/json', ...own });
    if (!cut) return void response.end(text);
    response.write(text.slice(0, text.length / 2), () => {
      if (cut === 'end') response.end();
      else request.socket.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

const ENDED: Reply = { status: 418, body: { message: 'the script of the fake service has ended' } };

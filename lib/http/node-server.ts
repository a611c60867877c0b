import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { StepfoldError } from '../core/errors.ts';
import { assertToken } from './bearer-token.ts';
import { assertSameSite, isLoopback } from './loopback.ts';
import { problemResponse } from './problem.ts';

export interface ServerOptions {
  /** @default '127.0.0.1' */
  host?: string;
  /** 0 takes a free one. */
  port: number;
  /** What callers must show. Needed on any address that other machines can reach. */
  token?: string | undefined;
  fetch: (request: Request) => Response | Promise<Response>;
}

export interface NodeServer {
  readonly url: string;
  /** Stops taking requests, lets those in flight end for a moment, then cuts them. */
  close(): Promise<void>;
}

const GRACE_MS = 1_000;

/** @throws StepfoldError `token_required` for an address that other machines can reach, unless there is a token; `bad_token`. */
export function assertReachable(host: string, token: string | undefined): void {
  if (token) assertToken(token);
  if (token || isLoopback(host)) return;
  throw new StepfoldError(
    'token_required',
    `expected a token, because ${host} can be reached from other machines; set STEPFOLD_TOKEN to a long random text here and where ` +
      'stepfold is called, or serve on 127.0.0.1',
  );
}

/**
 * Serves the API on an address of this machine.
 *
 * @throws StepfoldError `token_required`, `bad_token`, `port_in_use`, `cannot_listen`.
 */
export async function listen({ host = '127.0.0.1', port, token, fetch }: ServerOptions): Promise<NodeServer> {
  assertReachable(host, token);
  const guarded = token ? fetch : guardLoopback(fetch);
  const server = createServer(
    getRequestListener(guarded, {
      overrideGlobalObjects: false,
      errorHandler: (error) => problemResponse(malformed(error)),
    }),
  );
  await bind(server, host, port);
  const { address, port: bound } = server.address() as AddressInfo;
  return {
    url: `http://${address.includes(':') ? `[${address}]` : address}:${bound}`,
    close: () => close(server),
  };
}

function guardLoopback(fetch: ServerOptions['fetch']): ServerOptions['fetch'] {
  return (request) => {
    try {
      assertSameSite(request);
    } catch (error) {
      return problemResponse(error);
    }
    return fetch(request);
  };
}

/** What never became a request, such as a path that no URL can have. */
function malformed(cause: unknown): StepfoldError {
  const said = cause instanceof Error ? cause.message : String(cause);
  return new StepfoldError('malformed_request', `expected an HTTP request with a host and a path: ${said}`, {
    cause,
  });
}

function bind(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => reject(cannotBind(host, port, cause)));
    server.listen({ host, port, exclusive: true }, resolve);
  });
}

function cannotBind(host: string, port: number, cause: NodeJS.ErrnoException): StepfoldError {
  if (cause.code === 'EADDRINUSE') {
    return new StepfoldError(
      'port_in_use',
      `expected port ${port} of ${host} to be free, but another process listens there; stop it, or choose another with --port`,
      { cause, details: { host, port } },
    );
  }
  return new StepfoldError('cannot_listen', `cannot listen on ${host} port ${port}: ${cause.message}`, {
    cause,
    details: { host, port },
  });
}

async function close(server: Server): Promise<void> {
  const cut = setTimeout(() => server.closeAllConnections(), GRACE_MS);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
  clearTimeout(cut);
}

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { deskApp } from './app.ts';
import type { Desk } from './desk.ts';

export interface RunningDesk {
  readonly url: string;
  close(): void;
}

/** Serves a desk on 127.0.0.1. @param port 0 takes a free one. */
export async function serveDesk(desk: Desk, port: number): Promise<RunningDesk> {
  const server = createServer();
  let chosen = port;
  const refuse = (ms: number) => {
    server.close();
    setTimeout(() => void listen(server, chosen), ms);
  };
  server.on('request', getRequestListener(deskApp(desk, refuse).fetch));
  chosen = await listen(server, port);
  return {
    url: `http://127.0.0.1:${chosen}`,
    close: () => {
      server.close();
      server.closeAllConnections();
      desk.database.close();
    },
  };
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

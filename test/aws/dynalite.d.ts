declare module 'dynalite' {
  import type { Server } from 'node:http';

  /** A DynamoDB in memory, as an HTTP server. */
  export default function dynalite(options?: { createTableMs?: number; maxItemSizeKb?: number }): Server;
}

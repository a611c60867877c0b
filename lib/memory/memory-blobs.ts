import type { Blobs } from '../ports/blobs.ts';
import { perRun } from './per-run.ts';

/** Payloads in a map, copied on the way in and on the way out. */
export function memoryBlobs(): Blobs {
  const payloads = perRun(() => new Map<string, Uint8Array>());

  return {
    async put(run, sha256, bytes) {
      payloads(run).set(sha256, Uint8Array.from(bytes));
    },

    async get(run, sha256) {
      const bytes = payloads(run).get(sha256);
      return bytes && Uint8Array.from(bytes);
    },
  };
}

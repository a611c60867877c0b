import type { RunKey } from './run-key.ts';

/**
 * Payloads by content, under `<tenant>/<run>/<sha256>`.
 *
 * `put` is durable when it returns and may be repeated. `get` gives undefined for what is not there; whoever reads checks
 * the hash. Objects are deleted only together with their run. Either may throw `unavailable`.
 */
export interface Blobs {
  put(run: RunKey, sha256: string, bytes: Uint8Array): Promise<void>;
  get(run: RunKey, sha256: string): Promise<Uint8Array | undefined>;
}

import type { RunKey } from '../ports/run-key.ts';

/** A table with one entry per run, made when it is first asked for. */
export function perRun<T>(make: () => T): (run: RunKey) => T {
  const entries = new Map<string, T>();
  return ({ tenant, runId }) => {
    const key = JSON.stringify([tenant, runId]);
    const entry = entries.get(key) ?? make();
    entries.set(key, entry);
    return entry;
  };
}

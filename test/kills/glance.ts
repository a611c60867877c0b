import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runnable, statusOf } from '../../lib/core/next.ts';
import { type Attempts, emptyState, isEnded, type RunState } from '../../lib/core/state.ts';
import { openStore } from '../../lib/local/sqlite-store.ts';
import { foldCommits } from '../../lib/runtime/load-run.ts';

/** What a process left behind when it was killed. */
export interface Glance {
  /** Runs that had something to do: neither ended nor merely waiting for a person or for a time. */
  readonly moving: number;
  /** The calls that were cut off: `model`, or the tool's name. */
  readonly inFlight: readonly string[];
}

/**
 * Looks at the data directory of a process that is dead. It opens a copy, so that whatever there is to be repaired is left
 * to the next server.
 */
export async function glance(data: string): Promise<Glance> {
  const copy = mkdtempSync(join(tmpdir(), 'glance-'));
  for (const file of ['stepfold.db', 'stepfold.db-wal']) {
    if (existsSync(join(data, file))) cpSync(join(data, file), join(copy, file));
  }
  const lock = JSON.parse(readFileSync(join(data, 'lock.json'), 'utf8')) as { id: string; since: number };
  const store = openStore(join(copy, 'stepfold.db'));
  try {
    const around = { now: Date.now(), margin: 0, lock };
    let moving = 0;
    const inFlight: string[] = [];
    for (const run of store.unfinished()) {
      const commits = await store.log.read(run, { after: -1, limit: Number.MAX_SAFE_INTEGER });
      const state = foldCommits(emptyState(), commits);
      if (isEnded(state)) continue;
      const cut = callsOf(state).filter(({ call }) => call.claim?.owner.startsWith(lock.id));
      inFlight.push(...cut.map(({ name }) => name));
      if (statusOf(state) === 'queued' || cut.length > 0 || runnable(state, around).length > 0) moving++;
    }
    return { moving, inFlight };
  } finally {
    store.close();
    rmSync(copy, { recursive: true, force: true });
  }
}

function callsOf(state: RunState): { name: string; call: Attempts }[] {
  if (state.turn) return state.turn.calls.map((call) => ({ name: call.name, call }));
  return [{ name: 'model', call: state.model }];
}

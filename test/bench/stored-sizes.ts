import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Commit } from '../../lib/ports/event-log.ts';
import type { RunKey } from '../../lib/ports/run-key.ts';

/** How many bytes rows have in the database file: all their columns, as they are stored. */
export interface StoredSizes {
  /** 0 where there is none. */
  manifest(run: RunKey): number;
  commits(run: RunKey, commits: readonly Commit[]): number;
  close(): void;
}

const MANIFEST = ['tenant', 'run', 'seq', 'manifest'];
const COMMIT = ['tenant', 'run', 'seq', 'last', 'owner', 'message_id', 'hash', 'events'];

export function openStoredSizes(dir: string): StoredSizes {
  const database = new DatabaseSync(join(dir, 'stepfold.db'), { readOnly: true });
  const manifest = database.prepare(
    `SELECT ${bytesOf(MANIFEST)} AS bytes FROM manifests WHERE tenant = ? AND run = ?`,
  );
  const commit = database.prepare(
    `SELECT ${bytesOf(COMMIT)} AS bytes FROM commits WHERE tenant = ? AND run = ? AND seq = ?`,
  );
  return {
    manifest: ({ tenant, runId }) => Number(manifest.get(tenant, runId)?.bytes ?? 0),
    commits: ({ tenant, runId }, commits) =>
      commits.reduce((sum, { seq }) => sum + Number(commit.get(tenant, runId, seq)?.bytes ?? 0), 0),
    close: () => database.close(),
  };
}

function bytesOf(columns: readonly string[]): string {
  return columns.map((column) => `length(CAST(${column} AS BLOB))`).join(' + ');
}

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

export function openStoredSizes(dir: string): StoredSizes {
  const database = new DatabaseSync(join(dir, 'stepfold.db'), { readOnly: true });
  const manifest = database.prepare(`
    SELECT ${bytesOf('manifests', ['number', 'seq', 'body'])} AS bytes
    FROM manifests JOIN runs USING (number) WHERE tenant = ? AND run = ?`);
  const commit = database.prepare(`
    SELECT ${bytesOf('commits', ['id', 'last', 'body'])} AS bytes
    FROM runs JOIN commits ON id = number << 32 | ? WHERE tenant = ? AND run = ?`);
  return {
    manifest: ({ tenant, runId }) => Number(manifest.get(tenant, runId)?.bytes ?? 0),
    commits: ({ tenant, runId }, commits) =>
      commits.reduce((sum, { seq }) => sum + Number(commit.get(seq, tenant, runId)?.bytes ?? 0), 0),
    close: () => database.close(),
  };
}

function bytesOf(table: string, columns: readonly string[]): string {
  return columns.map((column) => `length(CAST(${table}.${column} AS BLOB))`).join(' + ');
}

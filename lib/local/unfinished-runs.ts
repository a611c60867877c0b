import type { DatabaseSync } from 'node:sqlite';
import type { RunKey } from '../ports/run-key.ts';
import { attempt } from './sqlite-database.ts';

/**
 * A query for every run that was started and of which no header says that it has ended. The wakes of an earlier process
 * are gone with it: these are the runs to look at when the next one begins.
 */
export function unfinishedRuns(database: DatabaseSync): () => RunKey[] {
  const select = database.prepare(`
    SELECT DISTINCT inbox.tenant, inbox.run AS runId
    FROM inbox LEFT JOIN headers ON headers.tenant = inbox.tenant AND headers.run = inbox.run
    WHERE headers.status IS NULL OR headers.status NOT IN ('completed', 'failed', 'cancelled')
    ORDER BY inbox.tenant, inbox.run`);
  return () => {
    const rows = attempt('list unfinished runs', () => select.all()) as unknown as RunKey[];
    return rows.map(({ tenant, runId }) => ({ tenant, runId }));
  };
}

import type { RunKey } from '../ports/run-key.ts';
import type { World } from '../ports/world.ts';
import { groupedWrites } from './grouped-writes.ts';
import { openDatabase } from './sqlite-database.ts';
import { sqliteDecisions } from './sqlite-decisions.ts';
import { sqliteEventLog } from './sqlite-event-log.ts';
import { sqliteInbox } from './sqlite-inbox.ts';
import { sqliteRunIndex } from './sqlite-run-index.ts';
import { unfinishedRuns } from './unfinished-runs.ts';

/** The four ports that live in one SQLite file. */
export interface SqliteStore extends Pick<World, 'log' | 'index' | 'inbox' | 'decisions'> {
  /** Every run that was started and is not known to have ended. */
  unfinished(): RunKey[];
  close(): void;
}

/** Opens the file, without any lock on its directory: several processes may have it open and write at once. */
export function openStore(path: string): SqliteStore {
  const database = openDatabase(path);
  const write = groupedWrites(database);
  return {
    log: sqliteEventLog(database, write),
    index: sqliteRunIndex(database, write),
    inbox: sqliteInbox(database, write),
    decisions: sqliteDecisions(database, write),
    unfinished: unfinishedRuns(database),
    close: () => database.close(),
  };
}

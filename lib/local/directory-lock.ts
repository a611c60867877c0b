import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { StepfoldError } from '../core/errors.ts';
import type { Clock, Ids } from '../ports/world.ts';
import { isSqliteError, openSqlite, RESULT } from './sqlite-database.ts';

/** Long enough for two processes that reach for the lock at the same instant to sort it out. */
const PATIENCE_MS = 500;

/** Keeps what holds a lock from the garbage collector, which would close it and so let another process in. */
const held = new Set<DatabaseSync>();

/** Held by one process at a time: whoever holds it knows that every earlier holder is dead or has let go. */
export interface DirectoryLock {
  /** Fresh with every taking of the lock. */
  readonly id: string;
  /** When it was taken, in ms since the epoch. */
  readonly since: number;
  release(): void;
}

/**
 * Takes the lock of a data directory: an open exclusive transaction on `lock.db`, for which SQLite holds a lock of the
 * operating system. That dies with the process, however it dies, and no pid is compared. Nothing else may open
 * `lock.db`: closing any descriptor of it in this process would drop the lock.
 *
 * @throws StepfoldError `data_in_use` while another process, or this one, holds it.
 */
export function lockDirectory(directory: string, { clock, ids }: { clock: Clock; ids: Ids }): DirectoryLock {
  const note = join(directory, 'lock.json');
  const id = ids.fresh();
  const database = openSqlite(join(directory, 'lock.db'), PATIENCE_MS, (opened) => {
    try {
      opened.exec('BEGIN EXCLUSIVE');
    } catch (cause) {
      throw isSqliteError(cause, RESULT.busy) ? inUse(directory, holderOf(note), cause) : cause;
    }
  });
  held.add(database);
  const since = clock.now();
  writeFileSync(note, JSON.stringify({ pid: process.pid, id, since }));
  return {
    id,
    since,
    release() {
      rmSync(note, { force: true });
      held.delete(database);
      database.close();
    },
  };
}

function inUse(directory: string, holder: number | undefined, cause: unknown): StepfoldError {
  const who = holder === undefined ? 'another process' : `process ${holder}`;
  return new StepfoldError(
    'data_in_use',
    `expected a data directory of which this process is the only user; ${who} is using ${directory}. ` +
      'Stop it, talk to it over HTTP, or name another directory.',
    { cause, details: { directory, ...(holder !== undefined && { pid: holder }) } },
  );
}

/** The pid that the note names, for the message alone; undefined where that process is gone and its note stale. */
function holderOf(note: string): number | undefined {
  try {
    const { pid } = JSON.parse(readFileSync(note, 'utf8')) as { pid: number };
    return isAlive(pid) ? pid : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

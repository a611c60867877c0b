import { DatabaseSync } from 'node:sqlite';
import { StepfoldError, unavailable } from '../core/errors.ts';
import { dataNotWritable } from './data-not-writable.ts';
import { SCHEMA, SCHEMA_VERSION } from './sqlite-schema.ts';

/** How long a writer waits for another process's write, in ms. */
const BUSY_TIMEOUT_MS = 10_000;

/** SQLite's primary result codes. */
export const RESULT = { busy: 5, readonly: 8, cannotOpen: 14, notADatabase: 26 };

/**
 * Opens the database file with its tables. Several processes may have it open and write at once; each write is durable when
 * its statement returns.
 *
 * @throws StepfoldError `data_newer` and `data_older` for tables of another version, `data_damaged` for a file that is no
 * database, `data_not_writable`.
 */
export function openDatabase(path: string): DatabaseSync {
  return openSqlite(path, BUSY_TIMEOUT_MS, (database) => {
    refuseOther(path, versionOf(database));
    // SQLite does not wait for others while it changes the journal mode, so two openers of a new file may collide.
    untilNotBusy(() => database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL'));
    if (versionOf(database) < SCHEMA_VERSION) createTables(database, path);
  });
}

/** Opens a file and prepares it; a file that cannot be used is reported as such, and closed on any error. */
export function openSqlite(
  path: string,
  timeout: number,
  prepare: (database: DatabaseSync) => void,
): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { timeout });
    prepare(database);
    return database;
  } catch (cause) {
    database?.close();
    if (isSqliteError(cause, RESULT.notADatabase)) {
      throw new StepfoldError(
        'data_damaged',
        `expected a SQLite database at ${path}; got a file that is none. Restore it from a backup or move it away.`,
        { cause },
      );
    }
    if (isSqliteError(cause, RESULT.cannotOpen) || isSqliteError(cause, RESULT.readonly)) {
      throw dataNotWritable(path, cause);
    }
    throw cause;
  }
}

/** Runs a statement; what SQLite throws becomes `unavailable`. */
export function attempt<T>(what: string, statement: () => T): T {
  try {
    return statement();
  } catch (error) {
    throw inWords(what, error);
  }
}

/** What SQLite threw, or says when it is closed, as `unavailable`; any other error as it is. */
export function inWords(what: string, error: unknown): unknown {
  const closed = (error as { code?: unknown }).code === 'ERR_INVALID_STATE';
  return closed || isSqliteError(error) ? unavailable(`the database, asked to ${what},`, error) : error;
}

function createTables(database: DatabaseSync, path: string): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    const version = versionOf(database);
    refuseOther(path, version);
    if (version === 0) database.exec(`${SCHEMA}; PRAGMA user_version = ${SCHEMA_VERSION}`);
    database.exec('COMMIT');
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
}

function versionOf(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.user_version);
}

function refuseOther(path: string, version: number): void {
  if (version === 0 || version === SCHEMA_VERSION) return;
  const age = version > SCHEMA_VERSION ? 'newer' : 'older';
  throw new StepfoldError(
    `data_${age}`,
    `expected tables of version ${SCHEMA_VERSION} in ${path}; got version ${version}, written by a Stepfold that is ${age}. ` +
      'Use that one, or another data directory.',
  );
}

function untilNotBusy(statement: () => void): void {
  const end = Date.now() + BUSY_TIMEOUT_MS;
  for (;;) {
    try {
      statement();
      return;
    } catch (error) {
      if (!isSqliteError(error, RESULT.busy) || Date.now() > end) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

/** Whether SQLite threw this, with a certain primary result code where one is given. */
export function isSqliteError(error: unknown, result?: number): error is Error {
  const { code, errcode } = (error ?? {}) as { code?: unknown; errcode?: unknown };
  if (code !== 'ERR_SQLITE_ERROR') return false;
  return result === undefined || (Number(errcode) & 0xff) === result;
}

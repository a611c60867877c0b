import type { DatabaseSync } from 'node:sqlite';
import { inWords, isSqliteError, RESULT } from './sqlite-database.ts';

/**
 * Writes to one database. Each is a function that runs a statement, or several that need not be one transaction; what it
 * gives is told when all of it is durable. Writes that are asked for at the same time share a transaction, and so one wait
 * for the disk.
 */
export type GroupedWrites = <T>(what: string, statements: () => T) => Promise<T>;

interface Write {
  run(): void;
  tell(): void;
  refuse(error: unknown): void;
}

export function groupedWrites(database: DatabaseSync): GroupedWrites {
  const begin = database.prepare('BEGIN IMMEDIATE');
  const commit = database.prepare('COMMIT');
  const rollback = database.prepare('ROLLBACK');
  let waiting: Write[] = [];

  function writeWaiting(): void {
    const group = waiting;
    waiting = [];
    write(group);
  }

  /** All in one transaction; where that fails, each in its own, so that one that cannot be done does not stop the others. */
  function write(group: readonly Write[]): void {
    const alone = group.length === 1;
    try {
      // A single statement is a transaction of its own.
      if (!alone) begin.run();
      for (const each of group) each.run();
      if (!alone) commit.run();
    } catch (error) {
      if (database.isOpen && database.isTransaction) rollback.run();
      const hopeless = alone || isSqliteError(error, RESULT.busy);
      for (const each of group) hopeless ? each.refuse(error) : write([each]);
      return;
    }
    for (const each of group) each.tell();
  }

  return (what, statements) => {
    const { promise, resolve, reject } = Promise.withResolvers<ReturnType<typeof statements>>();
    let result: ReturnType<typeof statements>;
    // One turn of the event loop gathers what all workers have to write.
    if (waiting.length === 0) setImmediate(writeWaiting);
    waiting.push({
      run() {
        result = statements();
      },
      tell: () => resolve(result),
      refuse: (error) => reject(inWords(what, error)),
    });
    return promise;
  };
}

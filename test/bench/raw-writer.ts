import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { completions, results } from './text.ts';

/**
 * What everything is compared with: one sequential writer that commits rows of the payloads' bytes, 2 KB and 1 KB in turn,
 * to an SQLite file with the pragmas of the embedded world. It writes between the steps that are measured, so that both
 * meet the same disk and the same machine.
 */
export interface RawWriter {
  /** Makes so many durable commits, and adds what they took. */
  commit(count: number): void;
  /** Forgets what was taken so far. */
  reset(): void;
  /** ms of all commits since the last reset */
  readonly ms: number;
  /** ms of one of them, on the average */
  readonly each: number;
  close(): void;
}

export function openRawWriter(dir: string): RawWriter {
  const database = new DatabaseSync(join(dir, 'raw.db'));
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  database.exec('CREATE TABLE raw (id INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT');
  const insert = database.prepare('INSERT INTO raw (body) VALUES (?)');
  let made = 0;
  let since = 0;
  let ms = 0;
  return {
    commit(count) {
      const began = performance.now();
      for (let i = 0; i < count; i++, made++) {
        const texts = made % 2 === 0 ? completions : results;
        insert.run(texts[(made >> 1) % texts.length] as string);
      }
      ms += performance.now() - began;
      since += count;
    },
    reset() {
      ms = 0;
      since = 0;
    },
    get ms() {
      return ms;
    },
    get each() {
      return ms / since;
    },
    close: () => database.close(),
  };
}

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { completions, results } from './text.ts';

const COMMITS = 400;

/** What everything is compared with: one sequential writer that commits rows of the payloads' bytes to an SQLite file. */
export interface RawWriter {
  /** Makes some hundred durable commits, half of 2 KB and half of 1 KB. Gives ms for each, on the average. */
  measure(): number;
  close(): void;
}

/** A file with the pragmas of the embedded world. */
export function openRawWriter(dir: string): RawWriter {
  const database = new DatabaseSync(join(dir, 'raw.db'));
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  database.exec('CREATE TABLE raw (id INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT');
  const insert = database.prepare('INSERT INTO raw (body) VALUES (?)');
  let n = 0;
  return {
    measure() {
      const began = performance.now();
      for (let i = 0; i < COMMITS; i++, n++) {
        insert.run((n % 2 === 0 ? completions : results)[(n >> 1) % completions.length] as string);
      }
      return (performance.now() - began) / COMMITS;
    },
    close: () => database.close(),
  };
}

import type { DatabaseSync } from 'node:sqlite';
import type { Route } from './faults.ts';

/**
 * What became of a request: `received` (so far, or for ever if the desk died), `applied`, `replayed` (its key was
 * known), `read`, `refused` (it did not fit), `down`.
 */
export type Did = 'received' | 'applied' | 'replayed' | 'read' | 'refused' | 'down';

/** What became of its answer: `gone` means that the client had hung up by then. */
export type Answer = 'pending' | 'sent' | 'dropped' | 'gone';

export interface RecordedRequest {
  id: number;
  at: string;
  route: Route;
  method: string;
  path: string;
  key: string | null;
  /** The body as it came. */
  body: string | null;
  did: Did;
  status: number | null;
  answer: Answer;
}

/** Every request that reached the desk, written before anything else is done with it. */
export class RequestRecord {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  received(request: Pick<RecordedRequest, 'route' | 'method' | 'path' | 'key' | 'body'>): number {
    const { route, method, path, key, body } = request;
    const { lastInsertRowid } = this.#database
      .prepare(
        `INSERT INTO requests (at, route, method, path, key, body, did, answer)
         VALUES (?, ?, ?, ?, ?, ?, 'received', 'pending')`,
      )
      .run(new Date().toISOString(), route, method, path, key, body);
    return Number(lastInsertRowid);
  }

  did(id: number, did: Did, status: number): void {
    this.#database.prepare('UPDATE requests SET did = ?, status = ? WHERE id = ?').run(did, status, id);
  }

  answered(id: number, answer: Answer): void {
    this.#database.prepare('UPDATE requests SET answer = ? WHERE id = ?').run(answer, id);
  }

  all(): RecordedRequest[] {
    return this.#database.prepare('SELECT * FROM requests ORDER BY id').all() as unknown as RecordedRequest[];
  }
}

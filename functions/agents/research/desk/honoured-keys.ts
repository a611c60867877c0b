import type { DatabaseSync } from 'node:sqlite';
import type { Route } from './faults.ts';
import { Problem } from './problem.ts';

export interface KeyedRequest {
  route: Route;
  key: string;
  /** The request as JSON: the same key must come with the same request. */
  request: string;
}

/** The idempotency keys of the routes that honour them, for a window that begins at a key's first use. */
export class HonouredKeys {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /**
   * The first result of a known key, or undefined. A key older than the window is forgotten.
   *
   * @throws Problem `key_reused` when the key came with another request before.
   */
  resultOf({ route, key, request }: KeyedRequest, window: number): object | undefined {
    const known = this.#database
      .prepare('SELECT request, result FROM keys WHERE route = ? AND key = ? AND first_at > ?')
      .get(route, key, Date.now() - window);
    if (!known) return undefined;
    if (known.request !== request) {
      throw new Problem(
        422,
        'key_reused',
        `expected the request that ${key} came with before; got another one`,
      );
    }
    return JSON.parse(String(known.result));
  }

  remember({ route, key, request }: KeyedRequest, result: object): void {
    this.#database
      .prepare('INSERT OR REPLACE INTO keys (route, key, first_at, request, result) VALUES (?, ?, ?, ?, ?)')
      .run(route, key, Date.now(), request, JSON.stringify(result));
  }
}

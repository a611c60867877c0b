import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import * as z from 'zod';
import { Problem } from './problem.ts';

const text = (most: number) => z.string().trim().min(1).max(most);

export const ticketSchema = z.strictObject({ title: text(200), body: text(10_000) });
export const commentSchema = z.strictObject({ text: text(10_000) });
export const closeSchema = z.strictObject({ resolution: text(2_000) });
export const pageSchema = z.strictObject({ severity: z.enum(['low', 'high']), message: text(500) });

type Row = Record<string, SQLOutputValue>;

/** Tickets, their comments, and pages to whoever is on call. Ids are `T-1`, `C-1`, `P-1`. */
export class Tickets {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Takes a key to be asked by, and does not look whether it is there already: two sends are two tickets. */
  create({ title, body }: z.output<typeof ticketSchema>, key: string | null): Row {
    return this.#insert(
      `INSERT INTO tickets (at, key, title, body, status) VALUES (?, ?, ?, ?, 'open') RETURNING ${TICKET}`,
      [key, title, body],
    );
  }

  comment(ticketId: string, { text }: z.output<typeof commentSchema>, key: string | null): Row {
    return this.#insert(
      `INSERT INTO comments (at, key, ticket, text) VALUES (?, ?, ?, ?) RETURNING ${COMMENT}`,
      [key, this.#numberOf(ticketId), text],
    );
  }

  close(ticketId: string, { resolution }: z.output<typeof closeSchema>): Row {
    const closed = this.#database
      .prepare(
        `UPDATE tickets SET status = 'closed', resolution = ? WHERE id = ? AND status = 'open' RETURNING ${TICKET}`,
      )
      .get(resolution, this.#numberOf(ticketId));
    if (!closed)
      throw new Problem(409, 'already_closed', `expected an open ticket; ${ticketId} is closed already`);
    return closed;
  }

  page({ severity, message }: z.output<typeof pageSchema>, key: string | null): Row {
    return this.#insert(
      `INSERT INTO pages (at, key, severity, message) VALUES (?, ?, ?, ?) RETURNING ${PAGE}`,
      [key, severity, message],
    );
  }

  /** @throws Problem `unknown_ticket` */
  one(ticketId: string): Row {
    const number = /^T-(\d{1,9})$/.exec(ticketId)?.[1] ?? '0';
    const ticket = this.#database.prepare(`SELECT ${TICKET} FROM tickets WHERE id = ?`).get(Number(number));
    if (!ticket)
      throw new Problem(404, 'unknown_ticket', `expected the id of a ticket such as T-1; got ${ticketId}`);
    return ticket;
  }

  all(): Row[] {
    return this.#database.prepare(`SELECT ${TICKET} FROM tickets ORDER BY tickets.id`).all();
  }

  withKey(key: string): Row[] {
    return this.#database.prepare(`SELECT ${TICKET} FROM tickets WHERE key = ? ORDER BY tickets.id`).all(key);
  }

  comments(ticketId?: string): Row[] {
    const select = `SELECT ${COMMENT} FROM comments`;
    if (ticketId === undefined) return this.#database.prepare(`${select} ORDER BY comments.id`).all();
    return this.#database
      .prepare(`${select} WHERE ticket = ? ORDER BY comments.id`)
      .all(this.#numberOf(ticketId));
  }

  pages(): Row[] {
    return this.#database.prepare(`SELECT ${PAGE} FROM pages ORDER BY pages.id`).all();
  }

  #insert(sql: string, values: (string | number | null)[]): Row {
    return this.#database.prepare(sql).get(new Date().toISOString(), ...values) as Row;
  }

  #numberOf(ticketId: string): number {
    return Number(String(this.one(ticketId).id).slice(2));
  }
}

const TICKET = "'T-' || id AS id, at, key, title, body, status, resolution";
const COMMENT = "'C-' || id AS id, at, key, 'T-' || ticket AS ticket, text";
const PAGE = "'P-' || id AS id, at, key, severity, message";

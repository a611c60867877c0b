import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Opens the desk's file. What is committed survives a kill at any instant, and others may read it meanwhile. */
export function openDatabase(file: string): DatabaseSync {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const database = new DatabaseSync(file, { timeout: 5_000 });
  database.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    CREATE TABLE IF NOT EXISTS requests (
      id INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL, route TEXT NOT NULL, method TEXT NOT NULL,
      path TEXT NOT NULL, key TEXT, body TEXT, did TEXT NOT NULL, status INTEGER, answer TEXT NOT NULL
    ) STRICT;
    CREATE TABLE IF NOT EXISTS keys (
      route TEXT NOT NULL, key TEXT NOT NULL, first_at INTEGER NOT NULL, request TEXT NOT NULL, result TEXT NOT NULL,
      PRIMARY KEY (route, key)
    ) STRICT;
    CREATE TABLE IF NOT EXISTS tickets (
      id INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL, key TEXT, title TEXT NOT NULL, body TEXT NOT NULL,
      status TEXT NOT NULL, resolution TEXT
    ) STRICT;
    CREATE INDEX IF NOT EXISTS tickets_by_key ON tickets (key);
    CREATE TABLE IF NOT EXISTS comments (
      id INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL, key TEXT, ticket INTEGER NOT NULL, text TEXT NOT NULL
    ) STRICT;
    CREATE TABLE IF NOT EXISTS pages (
      id INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL, key TEXT, severity TEXT NOT NULL, message TEXT NOT NULL
    ) STRICT;
  `);
  return database;
}

/** Runs `work` in one transaction; what it throws undoes it. */
export function transaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
}

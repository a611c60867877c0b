import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type GroupedWrites, groupedWrites } from '../../lib/local/grouped-writes.ts';
import { openDatabase } from '../../lib/local/sqlite-database.ts';
import { testDirectory } from './directory.ts';

let database: DatabaseSync;
let reader: DatabaseSync;
let write: GroupedWrites;

beforeEach(async () => {
  const path = join(await testDirectory(), 'stepfold.db');
  database = openDatabase(path);
  database.exec('CREATE TABLE kept (value TEXT PRIMARY KEY) STRICT');
  reader = openDatabase(path);
  write = groupedWrites(database);
});
afterEach(() => {
  reader.close();
  if (database.isOpen) database.close();
});

function keep(value: string): Promise<number> {
  return write('keep', () =>
    Number(database.prepare('INSERT INTO kept VALUES (?) ON CONFLICT DO NOTHING').run(value).changes),
  );
}

function kept(): unknown[] {
  return reader
    .prepare('SELECT value FROM kept ORDER BY value')
    .all()
    .map(({ value }) => value);
}

test('what a write gives is told once another connection sees it, and not before', async () => {
  const told = keep('a').then(() => kept());
  expect(kept()).toEqual([]);
  expect(await told).toEqual(['a']);
});

test('writes asked for together are in their order: each sees those before it', async () => {
  expect(await Promise.all([keep('a'), keep('b'), keep('a')])).toEqual([1, 1, 0]);
});

test('a write that cannot be done is refused alone, and none of the others is lost or done twice', async () => {
  const done: string[] = [];
  const failing = write('fail', () => database.exec('INSERT INTO nothing VALUES (1)'));
  const results = await Promise.allSettled([
    keep('a').then(() => done.push('a')),
    failing,
    keep('b').then((changes) => done.push(`b${changes}`)),
  ]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  await expect(failing).rejects.toMatchObject({ code: 'unavailable' });
  expect(done).toEqual(['a', 'b1']);
  expect(kept()).toEqual(['a', 'b']);
  expect(await keep('c')).toBe(1);
});

test('writes that wait when the database is closed are refused', async () => {
  const told = Promise.allSettled([keep('a'), keep('b')]);
  database.close();
  expect((await told).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(kept()).toEqual([]);
});

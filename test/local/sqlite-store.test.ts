import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { openDatabase } from '../../lib/local/sqlite-database.ts';
import { openStore } from '../../lib/local/sqlite-store.ts';
import { runChild } from './child.ts';
import { testDirectory } from './directory.ts';

const RUN = { tenant: 'tenant', runId: 'run' };

test('eight processes that open a new file and append at once give one winner per seq and no gap', async () => {
  const path = join(await testDirectory(), 'stepfold.db');
  const count = 150;
  const owners = Array.from({ length: 8 }, (_, i) => `owner ${i}`);
  const children = owners.map((owner) => runChild('./race-appends.ts', [path, owner, String(count)]));
  await Promise.all(children.map((child) => child.line()));
  for (const child of children) child.go();
  const won = await Promise.all(children.map(async (child) => JSON.parse((await child.line())!) as number[]));

  const winners = Array.from({ length: count }, (_, seq) => owners.filter((_, i) => won[i]!.includes(seq)));
  expect(winners.every((of) => of.length === 1)).toBe(true);
  const store = openStore(path);
  const { commits } = await store.log.load(RUN);
  store.close();
  expect(commits.map(({ seq }) => seq)).toEqual(winners.map((_, seq) => seq));
  expect(commits.map(({ owner }) => owner)).toEqual(winners.map(([owner]) => owner));
});

test('a process that is killed in the middle of its appends loses none that had returned', async () => {
  const path = join(await testDirectory(), 'stepfold.db');
  for (const killAfter of [1, 57, 400]) {
    const child = runChild('./append-forever.ts', [path]);
    while (Number(await child.line()) < killAfter);
    await child.kill();
    let told = killAfter;
    for (let line = await child.line(); line !== undefined; line = await child.line()) told = Number(line);
    const store = openStore(path);
    const seqs = (await store.log.load(RUN)).commits.map(({ seq }) => seq);
    expect(seqs.length).toBeGreaterThan(told);
    expect(seqs).toEqual(seqs.map((_, i) => i));
    const next = { seq: seqs.length, events: [{}], owner: 'next', messageId: 'message', hash: 'hash' };
    expect(await store.log.append(RUN, next)).toBe('appended');
    store.close();
  }
});

test('what was written is there when the file is opened again', async () => {
  const path = join(await testDirectory(), 'stepfold.db');
  const commit = { seq: 0, events: [{ seq: 0 }], owner: 'owner', messageId: 'message', hash: 'hash' };
  const first = openStore(path);
  await first.log.append(RUN, commit);
  first.close();
  const second = openStore(path);
  expect(await second.log.load(RUN)).toEqual({ commits: [commit] });
  second.close();
});

test('tables of a newer version are refused and left as they are', async () => {
  const path = join(await testDirectory(), 'stepfold.db');
  const newer = new DatabaseSync(path);
  newer.exec('CREATE TABLE future (x); PRAGMA user_version = 1000');
  newer.close();
  expect(() => openStore(path)).toThrow(expect.objectContaining({ code: 'data_newer' }));
  const again = new DatabaseSync(path);
  expect(again.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'delete' });
  expect(again.prepare('SELECT name FROM sqlite_schema').all()).toEqual([{ name: 'future' }]);
  again.close();
});

test('tables of an older version are refused, not misread', async () => {
  const path = join(await testDirectory(), 'stepfold.db');
  const older = new DatabaseSync(path);
  older.exec('CREATE TABLE past (x); PRAGMA user_version = 1');
  older.close();
  expect(() => openStore(path)).toThrow(expect.objectContaining({ code: 'data_older' }));
});

test('a file that is no database is reported as damaged', async () => {
  const path = join(await testDirectory(), 'stepfold.db');
  await writeFile(path, 'this is not a database, whatever its name says'.repeat(100));
  expect(() => openStore(path)).toThrow(expect.objectContaining({ code: 'data_damaged' }));
});

test('each write is synced before it returns, and readers do not wait for writers', async () => {
  const path = join(await testDirectory(), 'stepfold.db');
  const database = openDatabase(path);
  expect(database.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
  expect(database.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 2 });
  database.close();
});

test('a damaged manifest is only a lost shortcut', async () => {
  const path = join(await testDirectory(), 'stepfold.db');
  const store = openStore(path);
  const commit = { seq: 0, events: [{ seq: 0 }], owner: 'owner', messageId: 'message', hash: 'hash' };
  await store.log.append(RUN, commit);
  await store.log.putManifest(RUN, { seq: 0, fold: 1, state: {} });
  const database = new DatabaseSync(path);
  database.exec('UPDATE manifests SET body = substr(body, 5)');
  database.close();
  expect(await store.log.load(RUN)).toEqual({ commits: [commit] });
  store.close();
});

test('a store that was closed answers that it is unavailable', async () => {
  const store = openStore(join(await testDirectory(), 'stepfold.db'));
  store.close();
  await expect(store.log.load(RUN)).rejects.toMatchObject({ code: 'unavailable' });
});

test('runs that were started and are not known to have ended are unfinished', async () => {
  const store = openStore(join(await testDirectory(), 'stepfold.db'));
  const start = async (
    tenant: string,
    runId: string,
    status?: 'running' | 'paused' | 'completed' | 'failed' | 'cancelled',
  ) => {
    const at = '2026-01-01T00:00:00.000Z';
    const run = { tenant, runId };
    for (const number of [0, 1]) {
      await store.inbox.append(run, { number, id: `${number}`, kind: 'start', at, body: null });
    }
    if (!status) return;
    await store.index.put({
      ...run,
      agent: 'a',
      status,
      seq: 1,
      createdAt: at,
      updatedAt: at,
      interrupts: [],
    });
  };
  await start('a', 'no-header');
  await start('a', 'running', 'running');
  await start('a', 'completed', 'completed');
  await start('a', 'failed', 'failed');
  await start('a', 'cancelled', 'cancelled');
  await start('b', 'completed', 'paused');
  expect(store.unfinished()).toEqual([
    { tenant: 'a', runId: 'no-header' },
    { tenant: 'a', runId: 'running' },
    { tenant: 'b', runId: 'completed' },
  ]);
  store.close();
});

test.each([
  ['rest', 'garbage'],
  ['rest', 'null'],
  ['rest', '{"runId":"another","interrupts":[]}'],
  ['stalled', '{'],
])(
  'a header row with the %s %j counts as none for whoever reads, and the next put writes it anew',
  async (column, damage) => {
    const path = join(await testDirectory(), 'stepfold.db');
    const store = openStore(path);
    const at = '2026-01-01T00:00:00.000Z';
    const header = (runId: string, seq = 3) =>
      ({
        tenant: 'tenant',
        runId,
        agent: 'a',
        status: 'running',
        seq,
        createdAt: at,
        updatedAt: at,
        wakeAt: 5,
        interrupts: [],
      }) as const;
    for (const runId of ['a', 'run', 'z']) await store.index.put(header(runId));
    const database = new DatabaseSync(path);
    database.prepare(`UPDATE headers SET ${column} = ? WHERE run = 'run'`).run(damage);
    database.close();

    const runIds = (headers: { runId: string }[]) => headers.map(({ runId }) => runId);
    expect(await store.index.get(RUN)).toBeUndefined();
    const page = await store.index.list({ tenant: 'tenant', limit: 1 });
    expect(runIds(page.headers)).toEqual(['z']);
    expect(
      runIds((await store.index.list({ tenant: 'tenant', limit: 1, cursor: page.cursor! })).headers),
    ).toEqual(['a']);
    expect(runIds(await store.index.due(5, 2)).sort()).toEqual(['a', 'z']);

    expect(await store.index.put(header('run', -1))).toBe(true);
    expect(await store.index.get(RUN)).toEqual(header('run', -1));
    expect(await store.index.put(header('a', 2))).toBe(false);
    store.close();
  },
);

import type { DatabaseSync } from 'node:sqlite';
import type { Commit, EventLog, Evidence, Manifest } from '../ports/event-log.ts';
import type { GroupedWrites } from './grouped-writes.ts';
import { packJson, unpackJson } from './packed-json.ts';
import { attempt } from './sqlite-database.ts';

interface CommitRow {
  seq: number;
  last: number;
  body: Uint8Array;
}

/** The event log in SQLite: one row per commit. */
export function sqliteEventLog(database: DatabaseSync, write: GroupedWrites): EventLog {
  const insertRun = database.prepare('INSERT INTO runs (tenant, run) VALUES (?, ?) ON CONFLICT DO NOTHING');
  const insertCommit = database.prepare(`
    INSERT INTO commits (id, last, body) SELECT number << 32 | ?, ?, ? FROM runs WHERE tenant = ? AND run = ?
    ON CONFLICT DO NOTHING`);
  // A run's commits have the ids from its number times 2^32 on.
  const selectTail = database.prepare(`
    SELECT id & 4294967295 AS seq, last, body FROM runs
    JOIN commits ON id >= number << 32 | ? AND id < (number + 1) << 32
    WHERE tenant = ? AND run = ? ORDER BY id`);
  // A range may start inside a commit, which is then the one of the greatest seq up to its start.
  const selectRange = database.prepare(`
    SELECT id & 4294967295 AS seq, last, body FROM runs
    JOIN commits ON id < (number + 1) << 32 AND id >= ifnull(
      (SELECT max(id) FROM commits WHERE id BETWEEN number << 32 AND number << 32 | ?), number << 32)
    WHERE tenant = ? AND run = ? AND last >= ? ORDER BY id LIMIT ?`);
  const upsertManifest = database.prepare(`
    INSERT INTO manifests (number, seq, body) SELECT number, ?, ? FROM runs WHERE tenant = ? AND run = ?
    ON CONFLICT DO UPDATE SET seq = excluded.seq, body = excluded.body WHERE manifests.seq <= excluded.seq`);
  const selectManifest = database.prepare(
    'SELECT body FROM runs JOIN manifests USING (number) WHERE tenant = ? AND run = ?',
  );
  const insertEvidence = database.prepare(`
    INSERT INTO evidence (tenant, run, call_id, attempt, owner, at, evidence) VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING`);
  const selectEvidence = database.prepare(
    'SELECT evidence FROM evidence WHERE tenant = ? AND run = ? ORDER BY at, rowid',
  );

  return {
    async append({ tenant, runId }, { seq, events, owner, messageId, hash }) {
      const last = seq + events.length - 1;
      const body = packJson({ owner, messageId, hash, events }, 'commit');
      const insert = () => Number(insertCommit.run(seq, last, body, tenant, runId).changes) === 1;
      const isNew = () => Number(insertRun.run(tenant, runId).changes) === 1;
      const appended = await write('append a commit', () => insert() || (isNew() && insert()));
      return appended ? 'appended' : 'conflict';
    },

    async load({ tenant, runId }) {
      return attempt('load a run', () => {
        const manifest = parseManifest(selectManifest.get(tenant, runId)?.body);
        const rows = selectTail.all((manifest?.seq ?? -1) + 1, tenant, runId);
        return { ...(manifest && { manifest }), commits: rows.map(toCommit) };
      });
    },

    async read({ tenant, runId }, { after, limit }) {
      return attempt('read events', () => {
        const from = after + 1;
        const rows = selectRange.all(from, tenant, runId, from, limit) as unknown as CommitRow[];
        return firstEvents(rows, from, limit).map(toCommit);
      });
    },

    async putManifest({ tenant, runId }, manifest) {
      const body = packJson(manifest, 'snapshot');
      await write('keep a manifest', () => upsertManifest.run(manifest.seq, body, tenant, runId));
    },

    async putEvidence({ tenant, runId }, evidence) {
      const { callId, attempt: number, owner, at } = evidence;
      const text = JSON.stringify(evidence);
      await write('keep evidence', () => insertEvidence.run(tenant, runId, callId, number, owner, at, text));
    },

    async evidence({ tenant, runId }) {
      const rows = attempt('read evidence', () => selectEvidence.all(tenant, runId));
      return rows.map(({ evidence }) => JSON.parse(String(evidence)) as Evidence);
    },
  };
}

/** The first commits that hold so many events from a seq on. */
function firstEvents(rows: readonly CommitRow[], from: number, limit: number): CommitRow[] {
  const end = rows.findIndex(({ last }) => last - from + 1 >= limit);
  return end < 0 ? [...rows] : rows.slice(0, end + 1);
}

function toCommit(row: unknown): Commit {
  const { seq, body } = row as CommitRow;
  return { seq, ...(unpackJson(body) as Omit<Commit, 'seq'>) };
}

/** A manifest that cannot be read is only a lost shortcut. */
function parseManifest(body: unknown): Manifest | undefined {
  try {
    return body instanceof Uint8Array ? (unpackJson(body) as Manifest) : undefined;
  } catch {
    return undefined;
  }
}

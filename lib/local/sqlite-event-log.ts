import type { DatabaseSync } from 'node:sqlite';
import type { Commit, EventLog, Evidence, Manifest } from '../ports/event-log.ts';
import type { GroupedWrites } from './grouped-writes.ts';
import { packJson, unpackJson } from './packed-json.ts';
import { attempt } from './sqlite-database.ts';

/** No limit to the rows of a query. */
const ALL = -1;

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
  const selectFrom = database.prepare(`
    SELECT id & 4294967295 AS seq, last, body FROM runs
    JOIN commits ON id >= number << 32 | ? AND id < (number + 1) << 32
    WHERE tenant = ? AND run = ? ORDER BY id LIMIT ?`);
  const selectBefore = database.prepare(`
    SELECT id & 4294967295 AS seq, last FROM runs JOIN commits ON id >= number << 32 AND id < number << 32 | ?
    WHERE tenant = ? AND run = ? ORDER BY id DESC LIMIT 1`);
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
        const rows = selectFrom.all((manifest?.seq ?? -1) + 1, tenant, runId, ALL);
        return { ...(manifest && { manifest }), commits: rows.map(toCommit) };
      });
    },

    async read({ tenant, runId }, { after, limit }) {
      return attempt('read events', () => {
        const from = after + 1;
        const rowsFrom = (seq: number) => selectFrom.all(seq, tenant, runId, limit) as unknown as CommitRow[];
        let rows = rowsFrom(from);
        if (rows[0]?.seq !== from) {
          // The range may start inside a commit.
          const before = selectBefore.get(from, tenant, runId) as CommitRow | undefined;
          if (before && before.last >= from) rows = rowsFrom(before.seq);
        }
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

import type { DatabaseSync } from 'node:sqlite';
import type { Commit, EventLog, Evidence, Manifest } from '../ports/event-log.ts';
import type { RunKey } from '../ports/run-key.ts';
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
  const selectNumber = database.prepare('SELECT number FROM runs WHERE tenant = ? AND run = ?');
  const insertRun = database.prepare('INSERT INTO runs (tenant, run) VALUES (?, ?) RETURNING number');
  const insertCommit = database.prepare(
    'INSERT INTO commits (id, last, body) VALUES (? << 32 | ?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const selectTail = database.prepare(`
    SELECT id & 4294967295 AS seq, last, body FROM commits
    WHERE id >= $run << 32 | $from AND id < ($run + 1) << 32 ORDER BY id`);
  // A range may start inside a commit, which is then the one of the greatest seq up to its start.
  const selectRange = database.prepare(`
    SELECT id & 4294967295 AS seq, last, body FROM commits
    WHERE id >= ifnull((SELECT max(id) FROM commits WHERE id BETWEEN $run << 32 AND $run << 32 | $from), $run << 32)
      AND id < ($run + 1) << 32 AND last >= $from
    ORDER BY id LIMIT $limit`);
  const upsertManifest = database.prepare(`
    INSERT INTO manifests (number, seq, body) VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET seq = excluded.seq, body = excluded.body WHERE manifests.seq <= excluded.seq`);
  const selectManifest = database.prepare('SELECT body FROM manifests WHERE number = ?');
  const insertEvidence = database.prepare(`
    INSERT INTO evidence (tenant, run, call_id, attempt, owner, at, evidence) VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING`);
  const selectEvidence = database.prepare(
    'SELECT evidence FROM evidence WHERE tenant = ? AND run = ? ORDER BY at, rowid',
  );

  function numberOf({ tenant, runId }: RunKey): number | undefined {
    return selectNumber.get(tenant, runId)?.number as number | undefined;
  }

  /** Within a write. */
  function numberFor(run: RunKey): number {
    return numberOf(run) ?? Number(insertRun.get(run.tenant, run.runId)?.number);
  }

  return {
    async append(run, { seq, events, owner, messageId, hash }) {
      const last = seq + events.length - 1;
      const body = packJson({ owner, messageId, hash, events });
      const { changes } = await write('append a commit', () =>
        insertCommit.run(numberFor(run), seq, last, body),
      );
      return Number(changes) === 1 ? 'appended' : 'conflict';
    },

    async load(run) {
      return attempt('load a run', () => {
        const number = numberOf(run);
        if (number === undefined) return { commits: [] };
        const manifest = parseManifest(selectManifest.get(number)?.body);
        const rows = selectTail.all({ run: number, from: (manifest?.seq ?? -1) + 1 });
        return { ...(manifest && { manifest }), commits: rows.map(toCommit) };
      });
    },

    async read(run, { after, limit }) {
      return attempt('read events', () => {
        const commits: Commit[] = [];
        const number = numberOf(run);
        if (number === undefined) return commits;
        let events = 0;
        for (const row of selectRange.iterate({ run: number, from: after + 1, limit })) {
          const { seq, last } = row as unknown as CommitRow;
          commits.push(toCommit(row));
          events += last - Math.max(after, seq - 1);
          if (events >= limit) break;
        }
        return commits;
      });
    },

    async putManifest(run, manifest) {
      const body = packJson(manifest);
      await write('keep a manifest', () => upsertManifest.run(numberFor(run), manifest.seq, body));
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

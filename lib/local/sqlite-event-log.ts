import type { DatabaseSync } from 'node:sqlite';
import type { Commit, EventLog, Evidence, Manifest } from '../ports/event-log.ts';
import { attempt } from './sqlite-database.ts';

interface CommitRow {
  seq: number;
  last: number;
  owner: string;
  message_id: string;
  hash: string;
  events: string;
}

/** The event log in SQLite: one row per commit, one durable write per append. */
export function sqliteEventLog(database: DatabaseSync): EventLog {
  const insertCommit = database.prepare(`
    INSERT INTO commits (tenant, run, seq, last, owner, message_id, hash, events) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING`);
  const selectTail = database.prepare(`
    SELECT seq, last, owner, message_id, hash, events FROM commits
    WHERE tenant = ? AND run = ? AND seq > ? ORDER BY seq`);
  // Numbered parameters (?1) cannot be bound by position before Node 22.20 and 24.7.
  // A range may start inside a commit, which is then the one of the greatest seq up to `after`.
  const selectRange = database.prepare(`
    SELECT seq, last, owner, message_id, hash, events FROM commits
    WHERE tenant = ? AND run = ? AND last > ?
      AND seq >= ifnull((SELECT max(seq) FROM commits WHERE tenant = ? AND run = ? AND seq <= ?), 0)
    ORDER BY seq LIMIT ?`);
  const upsertManifest = database.prepare(`
    INSERT INTO manifests (tenant, run, seq, manifest) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET seq = excluded.seq, manifest = excluded.manifest WHERE manifests.seq <= excluded.seq`);
  const selectManifest = database.prepare('SELECT manifest FROM manifests WHERE tenant = ? AND run = ?');
  const insertEvidence = database.prepare(`
    INSERT INTO evidence (tenant, run, call_id, attempt, owner, at, evidence) VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING`);
  const selectEvidence = database.prepare(
    'SELECT evidence FROM evidence WHERE tenant = ? AND run = ? ORDER BY at, rowid',
  );

  return {
    async append({ tenant, runId }, { seq, events, owner, messageId, hash }) {
      const last = seq + events.length - 1;
      const text = JSON.stringify(events);
      const { changes } = attempt('append a commit', () =>
        insertCommit.run(tenant, runId, seq, last, owner, messageId, hash, text),
      );
      return Number(changes) === 1 ? 'appended' : 'conflict';
    },

    async load({ tenant, runId }) {
      return attempt('load a run', () => {
        const manifest = parseManifest(selectManifest.get(tenant, runId)?.manifest);
        const rows = selectTail.all(tenant, runId, manifest?.seq ?? -1) as unknown as CommitRow[];
        return { ...(manifest && { manifest }), commits: rows.map(toCommit) };
      });
    },

    async read({ tenant, runId }, { after, limit }) {
      return attempt('read events', () => {
        const commits: Commit[] = [];
        let events = 0;
        const range = [tenant, runId, after, tenant, runId, after, limit];
        for (const row of selectRange.iterate(...range) as Iterable<unknown>) {
          const { seq, last } = row as CommitRow;
          commits.push(toCommit(row as CommitRow));
          events += last - Math.max(after, seq - 1);
          if (events >= limit) break;
        }
        return commits;
      });
    },

    async putManifest({ tenant, runId }, manifest) {
      const text = JSON.stringify(manifest);
      attempt('keep a manifest', () => upsertManifest.run(tenant, runId, manifest.seq, text));
    },

    async putEvidence({ tenant, runId }, evidence) {
      const { callId, attempt: number, owner, at } = evidence;
      const text = JSON.stringify(evidence);
      attempt('keep evidence', () => insertEvidence.run(tenant, runId, callId, number, owner, at, text));
    },

    async evidence({ tenant, runId }) {
      const rows = attempt('read evidence', () => selectEvidence.all(tenant, runId));
      return rows.map(({ evidence }) => JSON.parse(String(evidence)) as Evidence);
    },
  };
}

function toCommit({ seq, owner, message_id, hash, events }: CommitRow): Commit {
  return { seq, events: JSON.parse(events) as unknown[], owner, messageId: message_id, hash };
}

/** A manifest that cannot be parsed is only a lost shortcut. */
function parseManifest(text: unknown): Manifest | undefined {
  try {
    return typeof text === 'string' ? (JSON.parse(text) as Manifest) : undefined;
  } catch {
    return undefined;
  }
}

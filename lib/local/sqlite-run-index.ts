import type { DatabaseSync } from 'node:sqlite';
import { formatCursor, parseCursor } from '../core/list-cursor.ts';
import type { Header, RunIndex, StallMark } from '../ports/run-index.ts';
import type { GroupedWrites } from './grouped-writes.ts';
import { attempt } from './sqlite-database.ts';

interface HeaderRow {
  created_at: string;
  wake_at: number | null;
  stalled: string | null;
  rest: string;
}

/** Sorts after every instant. */
const NEWEST = { createdAt: '~', runId: '' };

/** A row is a projection: one that was damaged counts as none, and the next put writes it anew. */
const READABLE = `iif(json_valid(rest) AND json_valid(coalesce(stalled, 'null')),
  json_extract(rest, '$.runId') = run AND json_type(rest, '$.interrupts') = 'array', FALSE)`;

/** Header rows in SQLite. What a put keeps or other methods change alone has a column; the rest of the row is JSON. */
export function sqliteRunIndex(database: DatabaseSync, write: GroupedWrites): RunIndex {
  const upsert = database.prepare(`
    INSERT INTO headers (tenant, run, seq, agent, status, created_at, wake_at, stalled, rest)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET seq = excluded.seq, agent = excluded.agent, status = excluded.status,
      wake_at = excluded.wake_at, stalled = excluded.stalled, rest = excluded.rest
    WHERE headers.seq <= excluded.seq OR ${READABLE} IS NOT TRUE`);
  const select = database.prepare(
    `SELECT created_at, wake_at, stalled, rest FROM headers WHERE tenant = ? AND run = ? AND ${READABLE}`,
  );
  const selectPage = database.prepare(`
    SELECT created_at, wake_at, stalled, rest FROM headers
    WHERE tenant = ? AND (created_at, run) < (?, ?)
      AND (? IS NULL OR agent = ?) AND (? IS NULL OR iif(stalled IS NULL, status, 'stalled') = ?)
      AND ${READABLE}
    ORDER BY created_at DESC, run DESC LIMIT ?`);
  const selectDue = database.prepare(
    `SELECT created_at, wake_at, stalled, rest FROM headers WHERE wake_at <= ? AND ${READABLE}
    ORDER BY wake_at LIMIT ?`,
  );
  const updateWakeAt = database.prepare(
    'UPDATE headers SET wake_at = ? WHERE tenant = ? AND run = ? AND seq = ?',
  );
  const updateStalled = database.prepare(
    'UPDATE headers SET stalled = ? WHERE tenant = ? AND run = ? AND seq = ?',
  );

  return {
    async put({ createdAt, wakeAt = null, stalled, ...rest }) {
      const { tenant, runId, seq, agent, status } = rest;
      const mark = stalled ? JSON.stringify(stalled) : null;
      const { changes } = await write('put a header', () =>
        upsert.run(tenant, runId, seq, agent, status, createdAt, wakeAt, mark, JSON.stringify(rest)),
      );
      return Number(changes) === 1;
    },

    async get({ tenant, runId }) {
      const row = attempt('read a header', () => select.get(tenant, runId));
      return row && toHeader(row);
    },

    async list({ tenant, agent = null, status = null, limit, cursor }) {
      const { createdAt, runId } = cursor === undefined ? NEWEST : parseCursor(cursor);
      const rows = attempt('list headers', () =>
        selectPage.all(tenant, createdAt, runId, agent, agent, status, status, limit + 1),
      );
      const headers = rows.slice(0, limit).map(toHeader);
      const last = headers.at(-1);
      return last && rows.length > limit ? { headers, cursor: formatCursor(last) } : { headers };
    },

    async due(now, limit) {
      return attempt('list due headers', () => selectDue.all(now, limit)).map(toHeader);
    },

    async moveWakeAt({ tenant, runId }, seq, wakeAt = undefined) {
      const { changes } = await write('move a wake time', () =>
        updateWakeAt.run(wakeAt ?? null, tenant, runId, seq),
      );
      return Number(changes) === 1;
    },

    async stall({ tenant, runId }, seq, mark) {
      const { changes } = await write('mark a run as stalled', () =>
        updateStalled.run(JSON.stringify(mark), tenant, runId, seq),
      );
      return Number(changes) === 1;
    },
  };
}

function toHeader(row: unknown): Header {
  const { created_at: createdAt, wake_at: wakeAt, stalled, rest } = row as HeaderRow;
  return {
    ...(JSON.parse(rest) as Omit<Header, 'createdAt' | 'wakeAt' | 'stalled'>),
    createdAt,
    ...(wakeAt !== null && { wakeAt }),
    ...(stalled !== null && { stalled: JSON.parse(stalled) as StallMark }),
  };
}

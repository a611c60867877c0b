import type { DatabaseSync } from 'node:sqlite';
import type { Inbox, InboxEntry } from '../ports/inbox.ts';
import type { GroupedWrites } from './grouped-writes.ts';
import { attempt } from './sqlite-database.ts';

/** The inbox in SQLite: one row per entry. */
export function sqliteInbox(database: DatabaseSync, write: GroupedWrites): Inbox {
  const insert = database.prepare(
    'INSERT INTO inbox (tenant, run, number, entry) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const select = database.prepare(
    'SELECT entry FROM inbox WHERE tenant = ? AND run = ? AND number >= ? ORDER BY number',
  );

  return {
    async append({ tenant, runId }, entry) {
      const text = JSON.stringify(entry);
      const { changes } = await write('append to an inbox', () =>
        insert.run(tenant, runId, entry.number, text),
      );
      return Number(changes) === 1 ? 'appended' : 'taken';
    },

    async read({ tenant, runId }, from) {
      const rows = attempt('read an inbox', () => select.all(tenant, runId, from));
      return rows.map(({ entry }) => JSON.parse(String(entry)) as InboxEntry);
    },
  };
}

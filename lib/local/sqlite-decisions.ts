import type { DatabaseSync } from 'node:sqlite';
import type { Decision, Decisions } from '../ports/decisions.ts';
import type { RunKey } from '../ports/run-key.ts';
import type { GroupedWrites } from './grouped-writes.ts';
import { attempt } from './sqlite-database.ts';

/** Decision slots in SQLite: a row is written once and never changed. */
export function sqliteDecisions(database: DatabaseSync, write: GroupedWrites): Decisions {
  const insert = database.prepare(
    'INSERT INTO decisions (tenant, run, interrupt, decision) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const select = database.prepare(
    'SELECT decision FROM decisions WHERE tenant = ? AND run = ? AND interrupt = ?',
  );
  const find = ({ tenant, runId }: RunKey, interruptId: string) => {
    const row = attempt('read a decision', () => select.get(tenant, runId, interruptId));
    return row && (JSON.parse(String(row.decision)) as Decision);
  };

  return {
    async put(run, decision) {
      const text = JSON.stringify(decision);
      const { changes } = await write('put a decision', () =>
        insert.run(run.tenant, run.runId, decision.interruptId, text),
      );
      return { won: Number(changes) === 1, holds: find(run, decision.interruptId) ?? decision };
    },

    async get(run, interruptId) {
      return find(run, interruptId);
    },
  };
}

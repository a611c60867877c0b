import { formatCursor, parseCursor } from '../core/list-cursor.ts';
import type { Header, HeaderQuery, RunIndex } from '../ports/run-index.ts';
import type { RunKey } from '../ports/run-key.ts';

/** Header rows in a map, as JSON text. */
export function memoryRunIndex(): RunIndex {
  const rows = new Map<string, string>();
  const all = () => [...rows.values()].map((text) => JSON.parse(text) as Header);
  const find = (run: RunKey) => {
    const text = rows.get(rowKey(run));
    return text === undefined ? undefined : (JSON.parse(text) as Header);
  };
  const write = (header: Header) => rows.set(rowKey(header), JSON.stringify(header));

  return {
    async put(header) {
      const held = find(header);
      if (held && held.seq > header.seq) return false;
      write({ ...header, createdAt: held?.createdAt ?? header.createdAt });
      return true;
    },

    async get(run) {
      return find(run);
    },

    async list(query) {
      const from = query.cursor === undefined ? undefined : parseCursor(query.cursor);
      const matching = all().filter(
        (header) => matches(header, query) && (!from || newestFirst(from, header) < 0),
      );
      const headers = matching.sort(newestFirst).slice(0, query.limit);
      const last = headers.at(-1);
      return last && matching.length > headers.length ? { headers, cursor: formatCursor(last) } : { headers };
    },

    async due(now, limit) {
      const due = all().filter(({ wakeAt }) => wakeAt !== undefined && wakeAt <= now);
      return due.sort((a, b) => (a.wakeAt ?? 0) - (b.wakeAt ?? 0)).slice(0, limit);
    },

    async moveWakeAt(run, seq, wakeAt) {
      const held = find(run);
      if (held?.seq !== seq) return false;
      const { wakeAt: _, ...rest } = held;
      write(wakeAt === undefined ? rest : { ...rest, wakeAt });
      return true;
    },

    async stall(run, seq, mark) {
      const held = find(run);
      if (held?.seq !== seq) return false;
      write({ ...held, stalled: mark });
      return true;
    },
  };
}

function rowKey({ tenant, runId }: RunKey): string {
  return JSON.stringify([tenant, runId]);
}

function matches(header: Header, { tenant, agent, status }: HeaderQuery): boolean {
  return (
    header.tenant === tenant &&
    (agent === undefined || header.agent === agent) &&
    (status === undefined || (header.stalled ? 'stalled' : header.status) === status)
  );
}

/** Newest `createdAt` first; the run id decides between equals, so that a cursor names one place. */
function newestFirst(a: Place, b: Place): number {
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? 1 : -1;
  return a.runId < b.runId ? 1 : a.runId > b.runId ? -1 : 0;
}

type Place = Pick<Header, 'createdAt' | 'runId'>;

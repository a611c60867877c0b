import type { RunStatus } from '../core/run-status.ts';
import type { Header, HeaderQuery, InterruptLine } from '../ports/run-index.ts';
import type { Runtime } from './runtime.ts';

/** A run's line in a list. */
export interface RunLine extends Omit<Header, 'tenant' | 'wakeAt' | 'status'> {
  readonly status: RunStatus | 'stalled';
}

/** An interrupt that waits for somebody, and whose it is. */
export interface OpenInterruptLine extends InterruptLine {
  readonly runId: string;
  readonly agent: string;
}

/** Runs, newest first. */
export async function listRuns(
  rt: Runtime,
  query: HeaderQuery,
): Promise<{ runs: RunLine[]; cursor?: string }> {
  const { headers, cursor } = await rt.world.index.list(query);
  return { runs: headers.map(lineOf), ...(cursor !== undefined && { cursor }) };
}

function lineOf({ tenant: _tenant, wakeAt: _wakeAt, ...header }: Header): RunLine {
  return { ...header, status: header.stalled ? 'stalled' : header.status };
}

const PAGE = 200;

/** Interrupts that end by themselves are listed only where their reason is asked for. */
const BY_THEMSELVES: ReadonlySet<string> = new Set(['timer', 'awaiting_child']);

/** Open interrupts that wait for somebody outside, or those of one reason; oldest first. */
export async function listInterrupts(
  rt: Runtime,
  query: { tenant: string; reason?: string; agent?: string; limit: number },
): Promise<{ interrupts: OpenInterruptLine[] }> {
  const { tenant, agent, reason, limit } = query;
  const found: OpenInterruptLine[] = [];
  for (const status of ['paused', 'running', 'stalled'] as const) {
    let cursor: string | undefined;
    do {
      const page = await rt.world.index.list({
        tenant,
        status,
        limit: PAGE,
        ...(agent !== undefined && { agent }),
        ...(cursor !== undefined && { cursor }),
      });
      found.push(...page.headers.flatMap((header) => linesOf(header)));
      cursor = page.cursor;
    } while (cursor !== undefined);
  }
  const wanted = found.filter((line) =>
    reason === undefined ? !BY_THEMSELVES.has(line.reason) : line.reason === reason,
  );
  wanted.sort((a, b) => (a.since < b.since ? -1 : a.since > b.since ? 1 : 0));
  return { interrupts: wanted.slice(0, limit) };
}

function linesOf(header: Header): OpenInterruptLine[] {
  return header.interrupts.map((line) => ({ runId: header.runId, agent: header.agent, ...line }));
}

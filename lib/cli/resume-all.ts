import { isStepfoldError } from '../core/errors.ts';
import type { Decision } from '../ports/decisions.ts';
import type { listRuns } from '../runtime/list-runs.ts';
import type { ApiClient } from './api-client.ts';
import { paint } from './paint.ts';
import type { GivenLimits } from './parse-limits.ts';
import { print } from './print.ts';
import { startProgress } from './progress.ts';
import { queryString } from './query-string.ts';
import { table } from './table.ts';
import { usageError } from './usage-error.ts';
import { brief, visible } from './visible.ts';

/** The reasons for which a run waits as a whole. */
export const BLOCKED = ['version_mismatch', 'budget_exceeded', 'provider_blocked'] as const;
type Blocked = (typeof BLOCKED)[number];

export interface Resume {
  readonly by: string;
  readonly mode?: 'verbatim' | 'migrate';
  readonly limits?: GivenLimits;
  readonly note?: string;
}

type Line = Awaited<ReturnType<typeof listRuns>>['runs'][number];
interface Waiting {
  readonly runId: string;
  readonly reason: Blocked;
}
type Resumed = Waiting & { interruptId: string; decision: string };
type Failed = Waiting & { code: string; detail: string };

const AT_ONCE = 8;
const PAGE = '500';
const SOME_FAILED = 1;

/** Resumes every run of an agent that waits as a whole, and says which of them could not be. */
export async function resumeAll(
  api: ApiClient,
  out: { json?: boolean | undefined },
  options: { agent: string; reason?: Blocked; resume: Resume },
): Promise<number> {
  const { agent, reason, resume } = options;
  const progress = startProgress(`looking for runs of ${agent}`);
  const resumed: Resumed[] = [];
  const failed: Failed[] = [];
  try {
    const waiting = await findWaiting(api, agent, reason);
    assertMode(waiting, resume);
    const queue = [...waiting];
    const work = async () => {
      for (let next = queue.shift(); next; next = queue.shift()) {
        const answer = await resumeOne(api, next, resume);
        if ('code' in answer) failed.push(answer);
        else resumed.push(answer);
        progress.say(`${resumed.length + failed.length} of ${waiting.length} runs`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  } finally {
    progress.stop();
  }
  print(out, { resumed, failed }, () => inWords(agent, resumed, failed));
  return failed.length > 0 ? SOME_FAILED : 0;
}

async function findWaiting(api: ApiClient, agent: string, only: Blocked | undefined): Promise<Waiting[]> {
  const found = new Map<string, Waiting>();
  for (const status of ['paused', 'running']) {
    let cursor: string | undefined;
    do {
      const query = queryString({ agent, status, limit: PAGE, cursor });
      const page: { runs: Line[]; cursor?: string } = await api.get(`/runs${query}`);
      for (const line of page.runs) {
        const waiting = waitingOf(line, only);
        if (waiting) found.set(line.runId, waiting);
      }
      cursor = page.cursor;
    } while (cursor !== undefined);
  }
  return [...found.values()];
}

/** A run is resumed for the first of its reasons; what it waits for then is seen when it waits again. */
function waitingOf({ runId, interrupts }: Line, only: Blocked | undefined): Waiting | undefined {
  const reasons = interrupts.map(({ reason }) => reason);
  const reason = reasons.find((each): each is Blocked => (BLOCKED as readonly string[]).includes(each));
  return reason !== undefined && (only ?? reason) === reason ? { runId, reason } : undefined;
}

/** Which code runs meet is never chosen for somebody. */
function assertMode(waiting: readonly Waiting[], { mode }: Resume): void {
  const changed = waiting.filter(({ reason }) => reason === 'version_mismatch').length;
  if (changed === 0 || mode !== undefined) return;
  throw usageError(
    `expected --mode verbatim or --mode migrate, because ${changed} of these runs wait for changed code; or --reason, to leave them out`,
  );
}

async function resumeOne(api: ApiClient, run: Waiting, resume: Resume): Promise<Resumed | Failed> {
  const mode = run.reason === 'version_mismatch' ? resume.mode : 'verbatim';
  try {
    const made = await api.post<Decision>(`/runs/${run.runId}/resume`, { ...resume, mode });
    return { ...run, interruptId: made.interruptId, decision: made.decision };
  } catch (error) {
    // Without a server none of the others can be resumed either.
    if (!isStepfoldError(error) || error.code === 'no_server') throw error;
    return { ...run, code: error.code, detail: error.message };
  }
}

function inWords(agent: string, resumed: readonly Resumed[], failed: readonly Failed[]): string {
  if (resumed.length + failed.length === 0) return `No run of ${visible(agent)} waits as a whole.\n`;
  const colour = paint(process.stdout);
  const rows = [
    ...resumed.map(({ runId, reason, decision }) => [runId, reason, `resumed, ${decision}`]),
    ...failed.map(({ runId, reason, code, detail }) => [
      runId,
      reason,
      `failed, ${code}: ${brief(detail, 200)}`,
    ]),
  ];
  const list = table(['RUN', 'WAITED FOR', 'WHAT CAME OF IT'], rows, (cell) =>
    cell.startsWith('failed, ') ? colour.red(cell) : cell,
  );
  return `${list}${resumed.length} resumed, ${failed.length} failed\n`;
}

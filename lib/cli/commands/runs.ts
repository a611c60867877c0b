import { defineCommand } from 'citty';
import type { listRuns } from '../../runtime/list-runs.ts';
import { apiClient } from '../api-client.ts';
import { stepfold } from '../command-name.ts';
import { formatInstant } from '../format-time.ts';
import { paint, paintStatus } from '../paint.ts';
import { print } from '../print.ts';
import { queryString } from '../query-string.ts';
import { serverArgs } from '../shared-args.ts';
import { shellWord } from '../shell-word.ts';
import { table } from '../table.ts';
import { visible } from '../visible.ts';

type Page = Awaited<ReturnType<typeof listRuns>>;

const STATUS = 2;

export const runsCommand = defineCommand({
  meta: { name: 'runs', description: 'List runs, newest first' },
  args: {
    agent: { type: 'string', description: 'Only runs of this agent', valueHint: 'NAME' },
    status: {
      type: 'enum',
      options: ['queued', 'running', 'paused', 'completed', 'failed', 'cancelled', 'stalled'],
      description: 'Only runs in this status',
    },
    limit: { type: 'string', description: 'At most so many, up to 500', valueHint: 'N' },
    cursor: { type: 'string', description: 'Go on where an earlier list ended', valueHint: 'CURSOR' },
    ...serverArgs,
  },
  async run({ args }) {
    const { agent, status, limit, cursor } = args;
    const page = await apiClient(args).get<Page>(`/runs${queryString({ agent, status, limit, cursor })}`);
    print(args, page, () => inWords(page, { agent, status, limit, cursor }));
  },
});

function inWords({ runs, cursor }: Page, narrowed: Record<string, string | undefined>): string {
  if (runs.length === 0 && cursor === undefined) return none(narrowed);
  const colour = paint(process.stdout);
  const rows = runs.map((run) => [
    run.runId,
    visible(run.agent),
    run.status,
    formatInstant(run.updatedAt),
    run.interrupts.map(({ reason, tool }) => visible([reason, tool].filter(Boolean).join(' '))).join(', '),
  ]);
  const list = table(['RUN', 'AGENT', 'STATUS', 'UPDATED', 'WAITS FOR'], rows, (cell, column) =>
    column === STATUS ? paintStatus(cell, colour) : cell,
  );
  if (cursor === undefined) return list;
  const flags = Object.entries({ ...narrowed, cursor }).flatMap(([flag, value]) =>
    value === undefined ? [] : [`--${flag} ${shellWord(value)}`],
  );
  return `${list}more: ${stepfold(`runs ${flags.join(' ')}`)}\n`;
}

function none({ agent, status, cursor }: Record<string, string | undefined>): string {
  if (cursor !== undefined) return 'No more runs.\n';
  const start = `Start one: ${stepfold(`start ${agent === undefined ? 'AGENT' : shellWord(agent)} "your question"`)}\n`;
  if (agent === undefined && status === undefined) return `No runs here. ${start}`;
  const which = agent === undefined ? 'No run' : `No run of ${visible(agent)}`;
  return status === undefined
    ? `${which}. ${start}`
    : `${which} is ${status}. All runs: ${stepfold('runs')}\n`;
}

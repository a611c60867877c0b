import { defineCommand } from 'citty';
import { interruptReasonSchema } from '../../core/event-parts.ts';
import type { listInterrupts, OpenInterruptLine } from '../../runtime/list-runs.ts';
import { apiClient } from '../api-client.ts';
import { stepfold } from '../command-name.ts';
import { formatAge, formatInstant } from '../format-time.ts';
import { print } from '../print.ts';
import { queryString } from '../query-string.ts';
import { serverArgs } from '../shared-args.ts';
import { table } from '../table.ts';
import { brief, visible } from '../visible.ts';

type List = Awaited<ReturnType<typeof listInterrupts>>;

const SUMMARY_WIDTH = 60;

export const interruptsCommand = defineCommand({
  meta: {
    name: 'interrupts',
    description:
      'List what waits for somebody, oldest first; --reason timer or awaiting_child for what ends by itself',
  },
  args: {
    reason: {
      type: 'enum',
      options: [...interruptReasonSchema.options],
      description: 'Only interrupts of this reason',
    },
    agent: { type: 'string', description: 'Only runs of this agent', valueHint: 'NAME' },
    limit: { type: 'string', description: 'At most so many, up to 500', valueHint: 'N' },
    ...serverArgs,
  },
  async run({ args }) {
    const { reason, agent, limit } = args;
    const list = await apiClient(args).get<List>(`/interrupts${queryString({ reason, agent, limit })}`);
    print(args, list, () => inWords(list));
  },
});

function inWords({ interrupts }: List): string {
  if (interrupts.length === 0) return 'Nothing waits for anybody.\n';
  const rows = interrupts.map((line) => [
    line.runId,
    line.interruptId,
    visible(line.agent),
    line.reason,
    visible(line.tool ?? ''),
    formatAge(line.since),
    whatOf(line),
  ]);
  const list = table(['RUN', 'INTERRUPT', 'AGENT', 'REASON', 'TOOL', 'SINCE', 'WHAT'], rows);
  return `${list}${stepfold('show RUN')} shows what there is to decide, and how.\n`;
}

function whatOf({ summary = '', expiresAt }: OpenInterruptLine): string {
  const until = expiresAt === undefined ? '' : `until ${formatInstant(expiresAt)}`;
  return [brief(summary, SUMMARY_WIDTH), until].filter(Boolean).join(', ');
}

import { defineCommand } from 'citty';
import { interruptReasonSchema } from '../../core/event-parts.ts';
import type { listInterrupts } from '../../runtime/list-runs.ts';
import { apiClient } from '../api-client.ts';
import { stepfold } from '../command-name.ts';
import { formatAge } from '../format-time.ts';
import { print } from '../print.ts';
import { queryString } from '../query-string.ts';
import { serverArgs } from '../shared-args.ts';
import { table } from '../table.ts';
import { brief, visible } from '../visible.ts';

type List = Awaited<ReturnType<typeof listInterrupts>>;

const SUMMARY_WIDTH = 60;

export const interruptsCommand = defineCommand({
  meta: { name: 'interrupts', description: 'List what waits for people, oldest first' },
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
  const rows = interrupts.map(({ runId, interruptId, agent, reason, tool, summary, since }) => [
    runId,
    interruptId,
    visible(agent),
    reason,
    visible(tool ?? ''),
    formatAge(since),
    brief(summary ?? '', SUMMARY_WIDTH),
  ]);
  const list = table(['RUN', 'INTERRUPT', 'AGENT', 'REASON', 'TOOL', 'SINCE', 'WHAT'], rows);
  return `${list}${stepfold('show RUN')} shows what there is to decide, and how.\n`;
}

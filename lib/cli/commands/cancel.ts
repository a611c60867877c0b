import { defineCommand } from 'citty';
import type { RunView } from '../../runtime/run-view.ts';
import { apiClient } from '../api-client.ts';
import { awaitCancel } from '../await-cancel.ts';
import { stepfold } from '../command-name.ts';
import { describeEnd } from '../describe-run.ts';
import { print } from '../print.ts';
import { byArg, runArg, serverArgs } from '../shared-args.ts';
import { unresolvedCalls } from '../unresolved-calls.ts';
import { userName } from '../user-name.ts';

const NOT_CANCELLED = 1;

export const cancelCommand = defineCommand({
  meta: { name: 'cancel', description: 'Cancel a run; what is in flight settles first' },
  args: {
    ...runArg,
    reason: { type: 'string', description: 'Why; it is logged', valueHint: 'TEXT' },
    ...byArg,
    'no-wait': { type: 'boolean', description: 'Only ask for it, and do not wait until it is so' },
    ...serverArgs,
  },
  async run({ args }) {
    const { run, reason } = args;
    const api = apiClient(args);
    const body = { by: args.by ?? userName(), ...(reason !== undefined && { reason }) };
    const asked = await api.post(`/runs/${encodeURIComponent(run)}/cancel`, body);
    if (!args.json) process.stdout.write(`cancelling ${run}\n`);
    // citty reads `--no-wait` as a `wait` that is false.
    if ((args as { wait?: boolean }).wait === false) {
      print(args, asked, () => `See how it ends: ${stepfold(`show ${run}`)}\n`);
      return 0;
    }
    const view = await awaitCancel(api, run);
    const calls = await unresolvedCalls(api, view);
    print(args, view, () => inWords(view, calls));
    return view.status === 'cancelled' ? 0 : NOT_CANCELLED;
  },
});

function inWords(view: RunView, calls: readonly string[]): string {
  if (view.status !== 'stalled') return describeEnd(view, calls, process.stdout);
  return `stalled: it cannot be cancelled while it cannot go on; see \`${stepfold(`show ${view.runId}`)}\`\n`;
}

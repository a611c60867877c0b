import { defineCommand } from 'citty';
import type { RunView } from '../../runtime/run-view.ts';
import { apiClient } from '../api-client.ts';
import { describeRun } from '../describe-run.ts';
import { print } from '../print.ts';
import { runArg, serverArgs } from '../shared-args.ts';

export const showCommand = defineCommand({
  meta: { name: 'show', description: 'Show a run: where it stands and what it waits for' },
  args: { ...runArg, ...serverArgs },
  async run({ args }) {
    const run = await apiClient(args).get<RunView>(`/runs/${encodeURIComponent(args.run)}`);
    print(args, run, () => describeRun(run, process.stdout));
  },
});

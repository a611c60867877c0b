import { defineCommand } from 'citty';
import type { RunView } from '../../runtime/run-view.ts';
import { apiClient } from '../api-client.ts';
import { describeRun } from '../describe-run.ts';
import { print } from '../print.ts';
import { runArg, serverArgs } from '../shared-args.ts';
import { unresolvedCalls } from '../unresolved-calls.ts';

export const showCommand = defineCommand({
  meta: { name: 'show', description: 'Show a run: where it stands and what it waits for' },
  args: { ...runArg, ...serverArgs },
  async run({ args }) {
    const api = apiClient(args);
    const run = await api.get<RunView>(`/runs/${encodeURIComponent(args.run)}`);
    const calls = args.json ? [] : await unresolvedCalls(api, run);
    print(args, run, () => describeRun(run, process.stdout, calls));
  },
});

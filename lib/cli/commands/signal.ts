import { defineCommand } from 'citty';
import { apiClient } from '../api-client.ts';
import { stepfold } from '../command-name.ts';
import { print } from '../print.ts';
import { parseJson, readText } from '../read-input.ts';
import { runArg, serverArgs } from '../shared-args.ts';
import { visible } from '../visible.ts';

export const signalCommand = defineCommand({
  meta: { name: 'signal', description: 'Send a run a signal; one that nobody awaits yet is kept' },
  args: {
    ...runArg,
    name: { type: 'positional', description: 'The name that a wait is for', required: true },
    payload: {
      type: 'positional',
      description: 'What it carries, as JSON; - for stdin (default null)',
      required: false,
      valueHint: 'JSON',
    },
    id: { type: 'string', description: 'The id of the signal: the same again counts once', valueHint: 'ID' },
    ...serverArgs,
  },
  async run({ args }) {
    const { run, name, payload, id } = args;
    const json = payload === undefined ? undefined : parseJson(await readText(payload), 'the payload');
    const taken = await apiClient(args).post<{ signalId: string }>(
      `/runs/${encodeURIComponent(run)}/signals`,
      { name, ...(json !== undefined && { payload: json }), ...(id !== undefined && { signalId: id }) },
    );
    print(
      args,
      taken,
      () =>
        `signal ${visible(name)} (${taken.signalId}) is in the inbox of ${run}\nFollow it: ${stepfold(`events ${run} --follow`)}\n`,
    );
  },
});

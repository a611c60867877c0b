import { defineCommand } from 'citty';
import { apiClient } from '../api-client.ts';
import { stepfold } from '../command-name.ts';
import { print } from '../print.ts';
import { readText } from '../read-input.ts';
import { runArg, serverArgs } from '../shared-args.ts';

export const sendCommand = defineCommand({
  meta: { name: 'send', description: 'Send a run a message of its user' },
  args: {
    ...runArg,
    text: { type: 'positional', description: 'What the user says; - for stdin', required: true },
    final: { type: 'boolean', description: 'Let a conversation end with the next answer' },
    id: { type: 'string', description: 'The id of the message: the same again counts once', valueHint: 'ID' },
    ...serverArgs,
  },
  async run({ args }) {
    const { run, id, final } = args;
    const taken = await apiClient(args).post<{ messageId: string }>(
      `/runs/${encodeURIComponent(run)}/messages`,
      {
        text: await readText(args.text),
        ...(id !== undefined && { messageId: id }),
        ...(final && { final }),
      },
    );
    print(
      args,
      taken,
      () =>
        `message ${taken.messageId} is in the inbox of ${run}\nFollow it: ${stepfold(`events ${run} --follow`)}\n`,
    );
  },
});

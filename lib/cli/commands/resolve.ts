import { defineCommand } from 'citty';
import { parseJson } from '../read-input.ts';
import { sendDecision } from '../send-decision.ts';
import { decisionArgs, serverArgs } from '../shared-args.ts';

export const resolveCommand = defineCommand({
  meta: { name: 'resolve', description: 'Say what came of a call that is in doubt' },
  args: {
    ...decisionArgs,
    decision: {
      type: 'enum',
      options: ['happened', 'retry', 'skip', 'fail'],
      required: true,
      description: 'It happened (--value is its result); send it again; skip it; it failed',
    },
    value: { type: 'string', description: 'What the call gave, as JSON (with happened)', valueHint: 'JSON' },
    ...serverArgs,
  },
  run: ({ args }) =>
    sendDecision(args, {
      decision: args.decision,
      ...(args.value !== undefined && { value: parseJson(args.value, '--value') }),
    }),
});

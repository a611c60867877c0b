import { defineCommand } from 'citty';
import { jsonOrText, readText } from '../read-input.ts';
import { sendDecision } from '../send-decision.ts';
import { decisionArgs, serverArgs } from '../shared-args.ts';

export const answerCommand = defineCommand({
  meta: { name: 'answer', description: 'Answer the question that a run asks' },
  args: {
    ...decisionArgs,
    value: {
      type: 'positional',
      description: 'The answer: JSON where it is JSON, else text; - for stdin',
      required: true,
    },
    ...serverArgs,
  },
  async run({ args }) {
    await sendDecision(args, { decision: 'answer', value: jsonOrText(await readText(args.value)) });
  },
});

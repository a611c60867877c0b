import { defineCommand } from 'citty';
import { sendDecision } from '../send-decision.ts';
import { decisionArgs, serverArgs } from '../shared-args.ts';

export const denyCommand = defineCommand({
  meta: { name: 'deny', description: 'Deny the call that a run waits to make; the model is told the note' },
  args: { ...decisionArgs, ...serverArgs },
  run: ({ args }) => sendDecision(args, { decision: 'deny' }),
});

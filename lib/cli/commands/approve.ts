import { defineCommand } from 'citty';
import { sendDecision } from '../send-decision.ts';
import { decisionArgs, serverArgs } from '../shared-args.ts';

export const approveCommand = defineCommand({
  meta: { name: 'approve', description: 'Approve the call that a run waits to make' },
  args: { ...decisionArgs, ...serverArgs },
  run: ({ args }) => sendDecision(args, { decision: 'approve' }),
});

import type { Json } from '../core/json.ts';
import type { Decision } from '../ports/decisions.ts';
import { apiClient } from './api-client.ts';
import { howItGoesOn } from './how-it-goes-on.ts';
import { openInterrupt } from './open-interrupt.ts';
import { print } from './print.ts';
import { userName } from './user-name.ts';
import { brief, visible } from './visible.ts';

/** The arguments of every command that decides. */
interface DecisionArgs {
  run: string;
  interrupt?: string | undefined;
  by?: string | undefined;
  note?: string | undefined;
  url?: string | undefined;
  json?: boolean | undefined;
}

/** Decides the open interrupt of a run and says so. */
export async function sendDecision(
  args: DecisionArgs,
  answer: { decision: string; value?: Json },
): Promise<void> {
  const api = apiClient(args);
  const interruptId = await openInterrupt(api, {
    run: args.run,
    decision: answer.decision,
    named: args.interrupt,
  });
  const path = `/runs/${encodeURIComponent(args.run)}/interrupts/${encodeURIComponent(interruptId)}/decision`;
  const body = { ...answer, by: args.by ?? userName(), ...(args.note !== undefined && { note: args.note }) };
  const made = await api.post<Decision>(path, body);
  const next = args.json ? '' : await howItGoesOn(api, { run: args.run, decided: interruptId });
  print(args, made, () => {
    const note = made.note === undefined ? '' : `: ${visible(made.note)}`;
    const value = answer.decision === 'answer' ? ` ${brief(answer.value)}` : '';
    return `${made.decision}${value} by ${visible(made.by)}${note} (${made.interruptId})\n${next}`;
  });
}

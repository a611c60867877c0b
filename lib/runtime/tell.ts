import { decisionsFor } from '../core/decisions.ts';
import { statusOf } from '../core/next.ts';
import { isEnded, type OpenInterrupt } from '../core/state.ts';
import type { Notice } from '../ports/notifier.ts';
import { summaryOf } from './summary-of.ts';
import type { Visit } from './visit.ts';

/** Notices of interrupts that people must answer, and of the end: at least once, with the same id. */
export async function tell(visit: Visit, heir: boolean): Promise<void> {
  const { rt, run, state } = visit;
  const asking = state.interrupts.filter((each) => decisionsFor(each.reason).length > 0);
  for (const each of asking) {
    if (heir || visit.opened.has(each.interruptId)) await rt.world.notifier.tell(noticeOf(visit, each));
  }
  if (!isEnded(state) || !(heir || visit.moved)) return;
  const about = { ...run, agent: state.agent, at: state.updatedAt };
  await rt.world.notifier.tell({ ...about, id: `${run.runId}.end`, type: 'ended', status: statusOf(state) });
}

function noticeOf({ run, state }: Visit, interrupt: OpenInterrupt): Notice {
  const { interruptId, reason, since, tool } = interrupt;
  const summary = summaryOf(interrupt);
  return {
    ...run,
    agent: state.agent,
    id: `${run.runId}.${interruptId}`,
    type: 'interrupted',
    at: since,
    interruptId,
    reason,
    ...(summary !== undefined && { summary }),
    ...(tool !== undefined && { tool }),
  };
}

import { statusOf } from '../core/next.ts';
import type { OpenInterrupt, RunState } from '../core/state.ts';
import type { Header, InterruptLine } from '../ports/run-index.ts';
import type { Runtime } from './runtime.ts';
import { summaryOf } from './summary-of.ts';
import { instant, surroundings } from './surroundings.ts';
import type { Visit } from './visit.ts';

/** How far ahead `wakeAt` is set while a run moves: when it passes, the sweep looks. */
export const LOOK_AGAIN_MS = 900_000;

/**
 * Sets `wakeAt` ahead of a commit that starts or resumes the run: a crash after the commit then costs a quarter of an hour
 * at most, and never the run. The row bears the seq of the commit's first event, so that whatever is committed in its
 * place overwrites it.
 */
export async function announce(visit: Visit, after: RunState): Promise<void> {
  const around = surroundings(visit.rt);
  const before = statusOf(visit.state, around);
  if (statusOf(after, around) !== 'running' || (before !== 'queued' && before !== 'paused')) return;
  const known = before === 'queued' ? after : visit.state;
  const header = headerOf(visit.rt, visit.run, known);
  visit.moved = true;
  await visit.rt.world.index.put({
    ...header,
    status: before,
    seq: visit.state.head + 1,
    wakeAt: visit.rt.world.clock.now() + LOOK_AGAIN_MS,
  });
}

/** Projects the run's row from the newest view. */
export async function project(visit: Visit): Promise<void> {
  if (visit.state.status === 'new') return;
  await visit.rt.world.index.put(headerOf(visit.rt, visit.run, visit.state));
}

/** The row that a state says. */
function headerOf(rt: Runtime, run: { tenant: string; runId: string }, state: RunState): Header {
  const status = statusOf(state, surroundings(rt));
  const now = rt.world.clock.now();
  const wakeAt = wakeAtOf(status, state, now);
  return {
    tenant: run.tenant,
    runId: run.runId,
    agent: state.agent,
    status,
    seq: state.head,
    createdAt: state.startedAt || instant(now),
    updatedAt: state.updatedAt || instant(now),
    labels: state.labels,
    interrupts: state.interrupts.map(lineOf),
    ...(wakeAt !== undefined && { wakeAt }),
  };
}

function wakeAtOf(status: string, state: RunState, now: number): number | undefined {
  if (status === 'running' || status === 'queued') return now + LOOK_AGAIN_MS;
  const expiries = state.interrupts.flatMap((each) =>
    each.expiresAt === undefined ? [] : [Date.parse(each.expiresAt)],
  );
  return status === 'paused' && expiries.length > 0 ? Math.min(...expiries) : undefined;
}

function lineOf(interrupt: OpenInterrupt): InterruptLine {
  const { interruptId, reason, step, since, expiresAt, callId, tool, risk } = interrupt;
  const summary = summaryOf(interrupt);
  return {
    interruptId,
    reason,
    step,
    since,
    ...(expiresAt !== undefined && { expiresAt }),
    ...(callId !== undefined && { callId }),
    ...(tool !== undefined && { tool }),
    ...(summary !== undefined && { summary }),
    ...(risk !== undefined && { risk }),
  };
}

import type { Agent } from '../agent.ts';
import type { Draft } from '../core/events.ts';
import { unresolvedCalls } from '../core/next.ts';
import { cancelChildren } from './children.ts';
import { outputOf } from './output.ts';
import { instant } from './surroundings.ts';
import { commit, type Visit } from './visit.ts';

/**
 * Closes the inbox, then ends the run. `closed` takes the number after the last entry that this visit has read: an entry
 * that is there already came before the end, and is read first. A conversation waits for its next message instead. True
 * when the view has changed.
 */
export async function endRun(
  visit: Visit,
  how: 'completed' | 'cancelled',
  agent: Agent | undefined,
): Promise<boolean> {
  if (how === 'completed' && !agent) return false;
  if (how === 'completed' && agent?.conversation && !visit.state.closing) return awaitMessage(visit);
  if (how === 'cancelled') await cancelChildren(visit);
  if (!(await closeInbox(visit))) {
    visit.news = true;
    return true;
  }
  const last = await lastEvent(visit, how, agent);
  if ((await commit(visit, [last])) && visit.acted === 'no') visit.acted = 'ours';
  return true;
}

async function awaitMessage(visit: Visit): Promise<boolean> {
  const { state } = visit;
  if (state.interrupts.some((each) => each.reason === 'awaiting_message')) return false;
  const interruptId = `i${state.head + 1}`;
  await commit(visit, [
    { type: 'interrupted', step: state.step + 1, interruptId, reason: 'awaiting_message' },
  ]);
  return true;
}

async function closeInbox(visit: Visit): Promise<boolean> {
  const { inbox, clock } = visit.rt.world;
  const number = Math.max(visit.readTo, visit.state.inbox.next);
  const closed = { number, id: 'closed', kind: 'closed' as const, at: instant(clock.now()), body: null };
  if ((await inbox.append(visit.run, closed)) === 'appended') return true;
  const [there] = await inbox.read(visit.run, number);
  return there?.kind === 'closed';
}

async function lastEvent(
  visit: Visit,
  how: 'completed' | 'cancelled',
  agent: Agent | undefined,
): Promise<Draft> {
  const { state } = visit;
  const { step } = state.model;
  if (how === 'completed') {
    const parsed = await outputOf(visit, agent);
    if ('value' in parsed) return { type: 'run_completed', step, output: parsed.value };
    return { type: 'run_failed', step, error: { code: 'output_misfit', message: parsed.misfit } };
  }
  const known = new Set(
    [...visit.asked].flatMap(([callId, answer]) => (answer === 'not_found' ? [callId] : [])),
  );
  const by = state.cancel?.by ?? 'unknown';
  return { type: 'run_cancelled', step: state.step, by, unresolved: unresolvedCalls(state, known) };
}

import type { Draft } from '../core/events.ts';
import { ending } from '../core/next.ts';
import { type Completion, textOf } from '../models/completion.ts';
import { fetchPayload } from './payloads.ts';
import { instant } from './surroundings.ts';
import { commit, type Visit } from './visit.ts';

/**
 * Closes the inbox, then ends the run. `closed` takes the number after the last entry that this visit has read: an entry
 * that is there already came before the end, and is read first.
 */
export async function endRun(visit: Visit): Promise<void> {
  if (!(await closeInbox(visit))) {
    visit.news = true;
    return;
  }
  if (await commit(visit, [await lastEvent(visit)])) {
    if (visit.acted === 'no') visit.acted = 'ours';
  }
}

async function closeInbox(visit: Visit): Promise<boolean> {
  const { inbox, clock } = visit.rt.world;
  const number = Math.max(visit.readTo, visit.state.inbox.next);
  const closed = { number, id: 'closed', kind: 'closed' as const, at: instant(clock.now()), body: null };
  if ((await inbox.append(visit.run, closed)) === 'appended') return true;
  const [there] = await inbox.read(visit.run, number);
  return there?.kind === 'closed';
}

async function lastEvent(visit: Visit): Promise<Draft> {
  const { state, rt, run } = visit;
  const { step } = state.model;
  if (ending(state) === 'failed') {
    return {
      type: 'run_failed',
      step,
      error: state.model.failure ?? { code: 'failed', message: 'the model call failed' },
    };
  }
  const completion = await fetchPayload(rt, run, state.final ?? { value: { content: [] } });
  return { type: 'run_completed', step, output: textOf(completion as unknown as Completion) };
}

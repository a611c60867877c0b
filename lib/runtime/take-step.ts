import { ending, runnable, statusOf } from '../core/next.ts';
import { isEnded } from '../core/state.ts';
import type { Message } from '../ports/wakes.ts';
import { beginRun } from './begin-run.ts';
import { endRun } from './end-run.ts';
import { finish } from './finish.ts';
import { foldNews } from './fold-news.ts';
import { gate } from './gate.ts';
import { laneOf } from './lanes.ts';
import { modelStep } from './model-step.ts';
import type { Runtime } from './runtime.ts';
import { contain } from './set-aside.ts';
import { settle } from './settle.ts';
import { surroundings } from './surroundings.ts';
import { toolStep } from './tool-step.ts';
import { type Invocation, openVisit, type Visit } from './visit.ts';

/**
 * Takes one step of a run: one model call or one tool execution at most, with all the bookkeeping around it.
 *
 * When it returns, the message may be acknowledged: somebody else is sure to look again where that is needed. When it
 * throws, the message must come again.
 */
export function takeStep(rt: Runtime, message: Message, invocation: Invocation = {}): Promise<void> {
  return contain(rt, message, async () => {
    if (message.lane === 'settle') return settle(rt, message);
    const visit = await openVisit(rt, message, invocation);
    await advance(visit);
    await finish(visit);
  });
}

/** Moves the run on until this visit has acted, or finds nothing to do. Every turn of the loop plans from the newest view. */
async function advance(visit: Visit): Promise<void> {
  for (;;) {
    if (visit.state.status === 'new') {
      if (await beginRun(visit)) continue;
      return;
    }
    if (isEnded(visit.state)) return;
    if (wantsNews(visit) && (await foldNews(visit))) continue;
    const agent = gate(visit);
    if (ending(visit.state)) {
      await endRun(visit);
      continue;
    }
    const key = choose(visit);
    if (key === undefined) return;
    if (!fits(visit, key)) {
      visit.wakes.add(key);
      return;
    }
    await (visit.state.turn ? toolStep(visit, agent, key) : modelStep(visit, agent));
  }
}

function wantsNews(visit: Visit): boolean {
  return visit.news || statusOf(visit.state) === 'paused' || ending(visit.state) !== undefined;
}

/** The action to take: the one that the wake names where it may be taken, else another; none after this visit's own. */
function choose(visit: Visit): string | undefined {
  if (visit.acted !== 'no') return undefined;
  const keys = runnable(visit.state, surroundings(visit.rt));
  const { action } = visit.message.wake;
  return action !== undefined && keys.includes(action) ? action : keys[0];
}

/** A worker of the wrong lane only forwards the wake. */
function fits(visit: Visit, key: string): boolean {
  const { lane } = visit.invocation;
  return lane === undefined || lane === laneOf(visit.rt, visit.state, key);
}

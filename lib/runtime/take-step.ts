import type { Agent } from '../agent.ts';
import { type Exceeded, exceeded } from '../core/budget.ts';
import { ending, MODEL, runnable, statusOf } from '../core/next.ts';
import { isEnded } from '../core/state.ts';
import type { Message } from '../ports/wakes.ts';
import { beginRun } from './begin-run.ts';
import { stopAtLimit } from './block-run.ts';
import { callOf } from './commit-outcome.ts';
import { endRun } from './end-run.ts';
import { finish, owesHeir } from './finish.ts';
import { foldNews } from './fold-news.ts';
import { gate } from './gate.ts';
import { laneOf } from './lanes.ts';
import { modelStep } from './model-step.ts';
import { dueResumption } from './resume-due.ts';
import { remember } from './run-memory.ts';
import type { Runtime } from './runtime.ts';
import { contain } from './set-aside.ts';
import { settle } from './settle.ts';
import { surroundings } from './surroundings.ts';
import { toolStep } from './tool-step.ts';
import { commit, type Invocation, openVisit, type Visit } from './visit.ts';

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
    while (await advance(visit));
    await finish(visit);
    remember(visit);
  });
}

/**
 * Moves the run on by one commit, or by its action, always planned from the newest view. False when this visit has acted
 * and nothing is left to be put in order, or when there is nothing to do.
 */
async function advance(visit: Visit): Promise<boolean> {
  const { state } = visit;
  if (state.status === 'new') return beginRun(visit);
  if (isEnded(state)) return false;
  if (wantsNews(visit) && (await foldNews(visit))) return true;
  const agent = await gate(visit);
  if (agent === 'changed') return true;
  const due = await dueResumption(visit);
  if (due.length > 0) {
    await commit(visit, due);
    return true;
  }
  const how = ending(state, surroundings(visit.rt), visit.asked);
  if (how) return endRun(visit, how, agent);
  return agent ? act(visit, agent) : false;
}

function wantsNews(visit: Visit): boolean {
  const around = surroundings(visit.rt);
  const how = ending(visit.state, around, visit.asked);
  return visit.news || statusOf(visit.state, around) === 'paused' || how !== undefined;
}

async function act(visit: Visit, agent: Agent): Promise<boolean> {
  const key = choose(visit);
  if (key === undefined) return false;
  if (!fits(visit, key)) {
    visit.wakes.add(key);
    return false;
  }
  // Whoever owes an heir wakes the other actions before its own, which may take long.
  if (owesHeir(visit))
    for (const other of runnable(visit.state, surroundings(visit.rt))) visit.wakes.add(other);
  const met = limitMet(visit, key);
  if (met) await stopAtLimit(visit, met);
  else await (key === MODEL ? modelStep(visit, agent) : toolStep(visit, agent, key));
  return true;
}

/** The action to take: the one that the wake names where it may be taken, else another; none after this visit's own. */
function choose(visit: Visit): string | undefined {
  if (visit.acted !== 'no') return undefined;
  const keys = runnable(visit.state, surroundings(visit.rt)).filter((key) => !visit.asked.has(key));
  const { action } = visit.message.wake;
  return action !== undefined && keys.includes(action) ? action : keys[0];
}

/** The limit that forbids an action that would send something new; what was cut off is reconciled, whatever the budget. */
function limitMet({ state, rt }: Visit, key: string): Exceeded | undefined {
  const call = callOf(state, key);
  const sends = key === MODEL || call?.phase === 'ready' || call?.phase === 'retry';
  return call && sends ? exceeded(state, call, rt.world.clock.now()) : undefined;
}

/** A worker of the wrong lane only forwards the wake. */
function fits(visit: Visit, key: string): boolean {
  const { lane } = visit.invocation;
  return lane === undefined || lane === laneOf(visit.rt, visit.state, key);
}

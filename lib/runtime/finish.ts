import { pendingTimes, runnable } from '../core/next.ts';
import { isEnded } from '../core/state.ts';
import { armAgain, armInterrupt, armWait, clampDelay } from './arm.ts';
import { startChildren, tellParent } from './children.ts';
import { sendWakes } from './claim.ts';
import { callOf } from './commit-outcome.ts';
import { project } from './header.ts';
import { snapshotIfDue } from './snapshot.ts';
import { surroundings } from './surroundings.ts';
import { tell } from './tell.ts';
import type { Visit } from './visit.ts';

/**
 * What is left behind before the ack. A visit that committed its own outcome, and saw nobody else's commit through its
 * message, sends what its commits made runnable or pending. Everyone else first leaves an heir to its last view, since
 * the one who should have done so may be dead. The header is projected only when everybody has been told: a run whose
 * header says that it has ended is not looked at again.
 */
export async function finish(visit: Visit): Promise<void> {
  const heir = leavesHeir(visit);
  const around = surroundings(visit.rt);
  const mine = (interruptId: string) => heir || visit.opened.has(interruptId);
  await tell(visit, heir);
  if (isEnded(visit.state) && (heir || visit.moved)) await tellParent(visit);
  await startChildren(visit, (child) => mine(child.interrupt.interruptId));
  if (visit.moved || heir) await project(visit);
  await snapshotIfDue(visit);
  // What a cancelled run waited for ends with it, and is not looked at any more.
  if (!visit.state.cancel) {
    const early = await armAgain(visit);
    for (const interrupt of visit.state.interrupts) {
      if (interrupt !== early && mine(interrupt.interruptId)) await armInterrupt(visit, interrupt);
    }
  }
  const pending = pendingTimes(visit.state, around);
  const open = new Set(runnable(visit.state, around));
  // A wake that came too early for its action, and served another, still owes its own a look.
  const { action } = visit.message.wake;
  if (action !== undefined && open.has(action)) visit.wakes.add(action);
  for (const { key, at, claimed } of pending)
    if (visit.times.has(key) || (key === action && !claimed)) await armWait(visit, key, at);
  if (heir) for (const key of open) visit.wakes.add(key);
  await sendWakes(visit, (key) => open.has(key));
  if (heir && pending.length > 0) await watch(visit, pending);
}

function leavesHeir(visit: Visit): boolean {
  const { wake, receives } = visit.message;
  const undisturbed = receives === 1 && !visit.strangers && visit.acted !== 'lost';
  if (undisturbed && wake.watch?.every((step) => !isOpenStep(visit, step))) return false;
  return visit.acted !== 'ours' || visit.strangers || owesHeir(visit);
}

/** Whether this visit leaves an heir whatever comes of it: it looks again in place of somebody who may be dead. */
export function owesHeir({ message: { wake, receives } }: Visit): boolean {
  return receives > 1 || wake.watch !== undefined || wake.swept === true;
}

function isOpenStep(visit: Visit, step: number): boolean {
  const { model, turn } = visit.state;
  if (isEnded(visit.state)) return false;
  const calls = turn ? turn.calls : [model];
  return calls.some((call) => call.step === step && call.phase !== 'done');
}

/** One wake that looks again at the earliest deadline, horizon or retry time. */
async function watch(visit: Visit, pending: readonly { key: string; at: number }[]): Promise<void> {
  const { rt, run, state } = visit;
  const steps = pending.flatMap(({ key }) => callOf(state, key)?.step ?? []);
  const at = Math.min(...pending.map((time) => time.at));
  const delayMs = clampDelay(at - rt.world.clock.now());
  await rt.world.wakes.send({ ...run, watch: steps }, { lane: 'fast', delayMs });
}

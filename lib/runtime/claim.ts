import type { Claim } from '../core/event-parts.ts';
import type { Draft } from '../core/events.ts';
import { crashesOf } from '../core/reconcile.ts';
import type { Attempts } from '../core/state.ts';
import { laneOf } from './lanes.ts';
import { instant, surroundings } from './surroundings.ts';
import { commit, type Visit } from './visit.ts';

/** What is added to the time that a worker has left: nobody else touches its call before. */
const SLACK_MS = 15_000;

/** How long this visit may still work on an action that may take `timeoutMs`. */
export function timeLeft(visit: Visit, timeoutMs: number): number {
  const { endsAt } = visit.invocation;
  return endsAt === undefined ? timeoutMs : endsAt - visit.rt.world.clock.now();
}

/** The deadline that a claim made now would have, in ms since the epoch. */
export function deadlineOf(visit: Visit, timeoutMs: number): number {
  return visit.rt.world.clock.now() + timeLeft(visit, timeoutMs) + SLACK_MS;
}

/** The fields of a claim and of the attempt that it begins. */
export function attemptFields(visit: Visit, call: Attempts, timeoutMs: number) {
  const claim: Claim = {
    owner: visit.owner,
    messageId: visit.message.messageId,
    deadline: instant(deadlineOf(visit, timeoutMs)),
  };
  const crashes = crashesOf(call, surroundings(visit.rt));
  return { attempt: call.attempt + 1, claim, ...(crashes > 0 && { crashes }) };
}

/**
 * Commits a claim. What the run can do beside it is woken first; so is the action itself, later, if the claim is lost.
 * Nothing may be sent before this has answered true.
 */
export async function claim(visit: Visit, key: string, draft: Draft): Promise<boolean> {
  await sendWakes(visit, (each) => each !== key);
  if (!(await commit(visit, [draft]))) return false;
  visit.wakes.delete(key);
  visit.news = false;
  return true;
}

/** Sends the wakes that this visit owes, for those actions that the filter lets through. */
export async function sendWakes(visit: Visit, filter: (key: string) => boolean): Promise<void> {
  const { rt, run, snapshot } = visit;
  for (const key of [...visit.wakes].filter(filter)) {
    const wake = { ...run, action: key, ...(snapshot.seq >= 0 && { manifest: snapshot.seq }) };
    await rt.world.wakes.send(wake, { lane: laneOf(rt, visit.state, key) });
    visit.wakes.delete(key);
  }
}

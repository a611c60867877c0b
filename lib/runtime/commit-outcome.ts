import type { Draft } from '../core/events.ts';
import { isDangling, MODEL } from '../core/next.ts';
import type { Attempts, RunState } from '../core/state.ts';
import { patiently } from './patiently.ts';
import { spill } from './payloads.ts';
import { instant, surroundings } from './surroundings.ts';
import { commit, PATIENCE_MS, type Visit } from './visit.ts';

/** An outcome to be appended, and whose it is. */
export interface OutcomeOf {
  /** The action: the model call, or a tool call's id. */
  readonly key: string;
  readonly step: number;
  readonly attempt: number;
  /** `claim`: it is the answer to this visit's own request. `dangling`: found by asking, for a call that nobody owns. */
  readonly by: 'claim' | 'dangling';
  /** Its events, built from the view that they are appended to. */
  readonly drafts: (state: RunState) => readonly Draft[];
}

/**
 * Appends an outcome, and only while the call's current claim is this visit's own. A conflict with anything else is
 * benign: it goes after it. Otherwise the outcome is evidence, kept beside the log, and nothing more.
 */
export async function commitOutcome(visit: Visit, outcome: OutcomeOf): Promise<void> {
  while (isOurs(visit, outcome)) {
    // Until its deadline nobody else touches the call: so long the outcome is worth waiting with.
    const until = Date.parse(callOf(visit.state, outcome.key)?.claim?.deadline ?? '') || undefined;
    if (await commit(visit, outcome.drafts(visit.state), until)) {
      visit.acted = 'ours';
      return;
    }
  }
  visit.acted = 'lost';
  const { rt, run } = visit;
  const until = rt.world.clock.now() + PATIENCE_MS;
  const late = outcome.drafts(visit.state);
  const drafts = await patiently(rt, until, () => Promise.all(late.map((draft) => spill(rt, run, draft))));
  const evidence = {
    callId: outcome.key,
    step: outcome.step,
    attempt: outcome.attempt,
    owner: visit.owner,
    at: instant(rt.world.clock.now()),
    outcome: drafts,
  };
  await patiently(rt, until, () => rt.world.log.putEvidence(run, evidence));
}

function isOurs(visit: Visit, outcome: OutcomeOf): boolean {
  const call = callOf(visit.state, outcome.key);
  if (visit.state.status !== 'running' || call?.attempt !== outcome.attempt || call.step !== outcome.step)
    return false;
  if (outcome.by === 'dangling') return isDangling(call, surroundings(visit.rt));
  return call.phase === 'claimed' && call.claim?.owner === visit.owner;
}

export function callOf(state: RunState, key: string): Attempts | undefined {
  if (key === MODEL) return state.turn ? undefined : state.model;
  return state.turn?.calls.find((call) => call.callId === key);
}

import { assertLimits, exceeded } from '../core/budget.ts';
import { StepfoldError } from '../core/errors.ts';
import type { Limits } from '../core/event-parts.ts';
import { migrationChain } from '../core/migration.ts';
import { isBlocking } from '../core/next.ts';
import { isEnded, type RunState } from '../core/state.ts';
import type { Decision } from '../ports/decisions.ts';
import type { RunKey } from '../ports/run-key.ts';
import { assertPriced } from './assert-priced.ts';
import { decide } from './decide.ts';
import { knownRun } from './known-run.ts';
import { runEnded } from './run-ended.ts';
import type { Runtime } from './runtime.ts';
import { agentOf } from './visit.ts';

export interface ResumeRequest {
  readonly mode: 'verbatim' | 'migrate';
  readonly by: string;
  readonly note?: string;
  /** Limits that hold from now on, for a run that met one. */
  readonly limits?: Limits;
}

/**
 * Lets a run go on that waits for a person as a whole: under other code, with higher limits, or with another round of
 * attempts at its model.
 *
 * @throws StepfoldError `unknown_run`, `run_ended`, `not_blocked`, `bad_limits`, `limits_required`, `no_prices`, `no_migration`, and those of
 * {@link decide}
 */
export async function resumeRun(rt: Runtime, run: RunKey, request: ResumeRequest): Promise<Decision> {
  const state = await knownRun(rt, run);
  const interrupt = state.interrupts.find((each) => isBlocking(each.reason));
  if (!interrupt) throw notBlocked(run, state);
  const { mode, by, note, limits } = request;
  if (limits) assertLimits(limits);
  if (limits?.costUsd !== undefined) assertPriced(agentOf(rt, state.agent));
  const accepted =
    interrupt.reason === 'version_mismatch' ? await acceptedBy(rt, { run, state, mode }) : undefined;
  if (interrupt.reason === 'budget_exceeded') checkRaised(state, limits ?? {}, rt.world.clock.now());
  return decide(rt, run, interrupt.interruptId, {
    decision: mode,
    by,
    ...(note !== undefined && { note }),
    resume: { ...(limits && { limits }), ...(accepted && { accepted }) },
  });
}

function notBlocked(run: RunKey, state: RunState): StepfoldError {
  if (isEnded(state)) return runEnded(run, state);
  const open =
    state.interrupts.map((each) => `${each.interruptId} (${each.reason})`).join(', ') || 'no interrupt';
  return new StepfoldError(
    'not_blocked',
    `expected a run that waits because of its version, its budget or its provider; run ${run.runId} has ${open}`,
  );
}

/** With `verbatim` the deployed code is accepted as it is; with `migrate` the author's migrations must lead to it. */
async function acceptedBy(rt: Runtime, { run, state, mode }: { run: RunKey; state: RunState; mode: string }) {
  const agent = agentOf(rt, state.agent);
  if (mode === 'verbatim') {
    // Every prompt that was accepted can be shown later.
    await rt.world.blobs.put(run, agent.promptHash, Buffer.from(agent.prompt));
    return { revision: agent.revision, promptHash: agent.promptHash };
  }
  if (migrationChain(agent.migrations, state.revision, agent.revision)) return undefined;
  throw new StepfoldError(
    'no_migration',
    `expected migrations of agent ${agent.name} that lead from revision ${state.revision} to ${agent.revision}; there are none. ` +
      `Deploy them, or resume run ${run.runId} with mode verbatim.`,
  );
}

/** The limit that was met must be raised, or the run would meet it, or another, again at once. */
function checkRaised(state: RunState, limits: Limits, now: number): void {
  const calls = (state.turn?.calls ?? [state.model]).filter(
    ({ phase }) => phase !== 'done' && phase !== 'paused',
  );
  const next = calls.find(({ step }) => step > 0) ?? calls[0] ?? state.model;
  const met = exceeded({ ...state, limits: { ...state.limits, ...limits } }, next, now);
  if (!met) return;
  const { limit, used } = met;
  throw new StepfoldError(
    'limits_required',
    `expected \`limits.${limit}\` above ${used}, which the run has used; got ${limits[limit] ?? 'none'}`,
    { details: { limit, used } },
  );
}

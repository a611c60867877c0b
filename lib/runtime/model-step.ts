import type { Agent } from '../agent.ts';
import { isDangling, MODEL } from '../core/next.ts';
import { attemptsLeft } from '../core/reconcile.ts';
import { requestHash } from '../core/transcript.ts';
import { callModel } from '../models/call-model.ts';
import { attemptFields, claim, deadlineOf, timeLeft } from './claim.ts';
import { commitOutcome } from './commit-outcome.ts';
import { deadlineSignal } from './deadline-signal.ts';
import { answerDrafts, lostDrafts, MODEL_ATTEMPTS, outcomeDrafts } from './model-outcome.ts';
import { requestOf } from './model-request.ts';
import { surroundings } from './surroundings.ts';
import type { Visit } from './visit.ts';

/** How long one model call may take, in ms. */
const TIMEOUT_MS = 180_000;

/** Issues the model call that is next, once. */
export async function modelStep(visit: Visit, agent: Agent): Promise<void> {
  const { rt } = visit;
  const call = visit.state.model;
  const around = surroundings(rt);
  const terms = { ...around, attempts: MODEL_ATTEMPTS, deadline: deadlineOf(visit, TIMEOUT_MS) };
  if (isDangling(call, around) && !attemptsLeft(call, terms)) {
    const { step, attempt } = call;
    return commitOutcome(visit, { key: MODEL, step, attempt, by: 'dangling', drafts: lostDrafts(visit) });
  }
  const { options, params, estimate } = await requestOf(visit, agent);
  const step = call.step || visit.state.step + 1;
  const fields = attemptFields(visit, call, TIMEOUT_MS);
  const hash = requestHash(visit.state.transcript, params);
  const requested = {
    type: 'model_call_requested' as const,
    step,
    requestHash: hash,
    params,
    ...estimate,
    ...fields,
  };
  if (!(await claim(visit, MODEL, requested))) return;
  const { signal, clear } = deadlineSignal(Math.min(TIMEOUT_MS, timeLeft(visit, TIMEOUT_MS)));
  const asked = callModel(agent.model, { ...options, abortSignal: signal }, rt.world.clock);
  const outcome = await asked.finally(clear);
  const { attempt, crashes = 0 } = fields;
  const drafts = outcome.answer
    ? await answerDrafts(visit, agent, { step, answer: outcome.answer })
    : outcomeDrafts(visit, agent, { step, attempt, crashes }, outcome);
  await commitOutcome(visit, { key: MODEL, step, attempt, by: 'claim', drafts });
}

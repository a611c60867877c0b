import * as z from 'zod';
import { answerSchema } from '../core/answer-schema.ts';
import { decisionsFor, takesValue } from '../core/decisions.ts';
import { StepfoldError } from '../core/errors.ts';
import type { Limits } from '../core/event-parts.ts';
import { canonicalJson, sha256 } from '../core/hash.ts';
import { assertJson, type Json } from '../core/json.ts';
import { isBlocking } from '../core/next.ts';
import { parseEvent } from '../core/parse-event.ts';
import { payloadFields } from '../core/payload.ts';
import { isEnded, type OpenInterrupt, type RunState } from '../core/state.ts';
import type { Decision } from '../ports/decisions.ts';
import type { RunKey } from '../ports/run-key.ts';
import { knownRun } from './known-run.ts';
import { fetchPayload, storePayload } from './payloads.ts';
import { putFromOutside } from './put-from-outside.ts';
import { runEnded } from './run-ended.ts';
import type { Runtime } from './runtime.ts';
import { instant } from './surroundings.ts';

/** What a person says about an interrupt. */
export interface DecisionRequest {
  readonly decision: string;
  readonly by: string;
  readonly note?: string;
  readonly value?: unknown;
  /** Set where the whole run is resumed (`resume-run.ts`): nothing else may decide about its code and its limits. */
  readonly resume?: {
    readonly limits?: Limits;
    readonly accepted?: { readonly revision: string; readonly promptHash: string };
  };
}

/**
 * Puts a person's decision into the slot of an interrupt. The first wins; the same decision by the same person again is
 * the same answer.
 *
 * @throws StepfoldError `unknown_run`, `unknown_interrupt`, `wrong_decision`, `value_required`, `value_not_allowed`,
 * `too_early` with `retryAfter`, `already_decided` with who and when, `interrupt_closed`, `run_ended`.
 */
export async function decide(
  rt: Runtime,
  run: RunKey,
  interruptId: string,
  request: DecisionRequest,
): Promise<Decision> {
  if (request.value !== undefined) assertJson(request.value);
  const state = await knownRun(rt, run);
  const interrupt = state.interrupts.find((each) => each.interruptId === interruptId);
  if (!interrupt || isEnded(state)) return answerClosed(rt, run, { state, interruptId, request });
  if (state.cancel) refuseCancelled(run, state.cancel);
  check(rt, interrupt, request);
  await checkAnswer(rt, run, { interrupt, value: request.value });
  const { decision, by, note, value, resume } = request;
  const stored =
    value === undefined ? {} : payloadFields('value', await storePayload(rt, run, value as Json));
  const wanted: Decision = {
    interruptId,
    decision,
    by,
    at: instant(rt.world.clock.now()),
    ...(note !== undefined && { note }),
    ...(interrupt.argsHash !== undefined && { argsHash: interrupt.argsHash }),
    ...resume,
    ...stored,
  };
  const { won, holds } = await putFromOutside(rt, run, () => rt.world.decisions.put(run, wanted));
  return won || isSame(holds, request) ? holds : refuse(holds);
}

function check(rt: Runtime, interrupt: OpenInterrupt, { decision, value, resume }: DecisionRequest): void {
  const expected = decisionsFor(interrupt.reason);
  const { interruptId, reason, retryAfter } = interrupt;
  if (isBlocking(reason) && !resume) {
    throw new StepfoldError(
      'wrong_decision',
      `expected ${interruptId} (${reason}) to be ended by resuming the run (POST …/resume, \`stepfold resume\`), not by a decision`,
      { details: { expected: ['resume'] } },
    );
  }
  if (!expected.includes(decision)) {
    const what =
      expected.length > 0 ? `one of ${expected.join(', ')}` : 'no decision, since something else ends it';
    throw new StepfoldError(
      'wrong_decision',
      `expected for ${interruptId} (${reason}) ${what}; got ${JSON.stringify(decision)}`,
      {
        details: { expected },
      },
    );
  }
  if (takesValue(decision) && value === undefined) {
    throw new StepfoldError(
      'value_required',
      `expected \`value\` with ${decision}: the result that the call is known to have had, as JSON (null where it has none)`,
    );
  }
  if (!takesValue(decision) && value !== undefined) {
    throw new StepfoldError(
      'value_not_allowed',
      `expected no \`value\` with ${decision}; put words for the model into \`note\``,
    );
  }
  if (decision === 'retry' && retryAfter !== undefined && rt.world.clock.now() < Date.parse(retryAfter)) {
    throw new StepfoldError(
      'too_early',
      `expected \`retry\` not before ${retryAfter}: until then the lost request may still land, and whoever looks sees nothing yet`,
      { details: { retryAfter } },
    );
  }
}

/** An answer must fit the schema that was asked for. */
async function checkAnswer(
  rt: Runtime,
  run: RunKey,
  { interrupt, value }: { interrupt: OpenInterrupt; value: unknown },
): Promise<void> {
  if (interrupt.reason !== 'awaiting_input' || !interrupt.schema) return;
  const read = answerSchema(await fetchPayload(rt, run, interrupt.schema));
  const judge = 'judge' in read ? read.judge : undefined;
  const judged = judge?.safeParse(value);
  if (!judged || judged.success) return;
  throw new StepfoldError(
    'wrong_answer',
    `expected an answer that fits the schema of ${interrupt.interruptId}: ${z.prettifyError(judged.error)}`,
  );
}

function refuseCancelled(run: RunKey, cancel: { by: string; at: string }): never {
  throw new StepfoldError(
    'run_cancelling',
    `expected an open interrupt; ${cancel.by} cancelled run ${run.runId} at ${cancel.at}`,
    {
      details: { by: cancel.by, at: cancel.at },
    },
  );
}

/** Says who decided an interrupt that is not open any more, or what else ended it. */
async function answerClosed(
  rt: Runtime,
  run: RunKey,
  { state, interruptId, request }: { state: RunState; interruptId: string; request: DecisionRequest },
): Promise<Decision> {
  const holds = await rt.world.decisions.get(run, interruptId);
  if (holds) return isSame(holds, request) ? holds : refuse(holds);
  if (!(await wasOpened(rt, run, interruptId))) {
    const open = state.interrupts.map((each) => each.interruptId).join(', ') || 'none';
    throw new StepfoldError(
      'unknown_interrupt',
      `expected an interrupt of run ${run.runId} (open: ${open}), got ${JSON.stringify(interruptId)}`,
    );
  }
  if (isEnded(state)) {
    throw runEnded(run, state, 'an open interrupt');
  }
  throw new StepfoldError(
    'interrupt_closed',
    `expected an open interrupt; ${interruptId} was closed without a decision`,
  );
}

async function wasOpened(rt: Runtime, run: RunKey, interruptId: string): Promise<boolean> {
  const seq = Number(/^i(\d{1,9})$/.exec(interruptId)?.[1] ?? Number.NaN);
  if (Number.isNaN(seq)) return false;
  const [commit] = await rt.world.log.read(run, { after: seq - 1, limit: 1 });
  return (commit?.events ?? [])
    .map(parseEvent)
    .some((event) => event.type === 'interrupted' && event.interruptId === interruptId);
}

/** The same decision by the same person, with the same value and terms; its note and time are those of the first. */
function isSame(holds: Decision, { decision, by, value, resume }: DecisionRequest): boolean {
  if (holds.decision !== decision || holds.by !== by) return false;
  const { valueRef, limits, accepted } = holds;
  const sameValue = valueRef
    ? sha256(JSON.stringify(value ?? null)) === valueRef.sha256
    : isEqual(holds.value ?? null, value ?? null);
  return (
    sameValue &&
    (!resume || isEqual([limits ?? null, accepted ?? null], [resume.limits ?? null, resume.accepted ?? null]))
  );
}

function isEqual(a: unknown, b: unknown): boolean {
  return canonicalJson(a as Json) === canonicalJson(b as Json);
}

function refuse({ decision, by, at }: Decision): never {
  throw new StepfoldError(
    'already_decided',
    `expected an open interrupt; ${by} decided ${decision} at ${at}`,
    {
      details: { decision, by, at },
    },
  );
}

import { decisionsFor } from '../core/decisions.ts';
import type { Json } from '../core/json.ts';
import { statusOf } from '../core/next.ts';
import { type Payload, payloadFields } from '../core/payload.ts';
import { isEnded, type OpenInterrupt } from '../core/state.ts';
import type { RunKey } from '../ports/run-key.ts';
import { startSchema } from './begin-run.ts';
import { knownRun } from './known-run.ts';
import { fetchPayload, isDamage } from './payloads.ts';
import type { InterruptView, RunView } from './run-view.ts';
import type { Runtime } from './runtime.ts';
import { surroundings } from './surroundings.ts';

/** A payload over this many bytes is answered as its reference. */
const INLINE_MAX = 262_144;

/**
 * A run, folded from its log.
 *
 * @throws StepfoldError `unknown_run`
 */
export async function describeRun(rt: Runtime, run: RunKey): Promise<RunView> {
  const state = await knownRun(rt, run);
  if (state.status === 'new') return describeQueued(rt, run);
  const header = await rt.world.index.get(run);
  const ended = isEnded(state);
  const stalled = ended ? undefined : header?.stalled;
  const values = await Promise.all(
    state.values.map(async ({ key, value }) => {
      const shown = await fetchedOr(rt, run, value);
      return [key, 'ref' in shown ? { valueRef: shown.ref } : shown.value] as const;
    }),
  );
  const evidence = await rt.world.log.evidence(run);
  return {
    runId: run.runId,
    agent: state.agent,
    status: stalled ? 'stalled' : statusOf(state, surroundings(rt)),
    revision: state.revision,
    promptHash: state.promptHash,
    labels: state.labels,
    ...(await show(rt, run, 'input', state.input)),
    ...(await show(rt, run, 'output', state.output)),
    ...(state.error && { error: state.error }),
    ...(state.unresolved && { unresolved: state.unresolved }),
    seq: state.head,
    steps: state.step,
    usage: state.usage,
    limits: state.limits,
    ...(state.cancel && !ended && { cancelRequested: true as const }),
    ...(state.cancel && { cancel: state.cancel }),
    ...(state.parent && { parent: { runId: state.parent.runId } }),
    interrupts: await Promise.all(state.interrupts.map((each) => describeInterrupt(rt, run, each))),
    values: Object.fromEntries(values),
    evidence: evidence.map(({ owner: _, outcome, ...rest }) => ({ ...rest, outcome: outcome as Json })),
    ...(stalled && { stalled }),
    createdAt: state.startedAt,
    updatedAt: state.updatedAt,
    ...(ended && { endedAt: state.updatedAt }),
  };
}

async function describeInterrupt(rt: Runtime, run: RunKey, interrupt: OpenInterrupt): Promise<InterruptView> {
  const { seq: _, args, schema, facts, ...rest } = interrupt;
  return {
    ...rest,
    ...(await show(rt, run, 'args', args)),
    ...(await show(rt, run, 'schema', schema)),
    ...(await show(rt, run, 'facts', facts)),
    decisions: [...decisionsFor(interrupt.reason)],
  };
}

/** A payload in place where it is small enough, else its reference. */
async function show<F extends string>(rt: Runtime, run: RunKey, field: F, payload: Payload | undefined) {
  const small = payload && 'ref' in payload && payload.ref.bytes <= INLINE_MAX;
  return payloadFields(field, small ? await fetchedOr(rt, run, payload) : payload);
}

/** The payload in place; one that is damaged stays a reference, so that all the rest can still be seen. */
async function fetchedOr(rt: Runtime, run: RunKey, payload: Payload): Promise<Payload> {
  try {
    return { value: await fetchPayload(rt, run, payload) };
  } catch (error) {
    if (isDamage(error)) return payload;
    throw error;
  }
}

/** A run whose start nobody has taken up yet. */
async function describeQueued(rt: Runtime, run: RunKey): Promise<RunView> {
  const [entry] = await rt.world.inbox.read(run, 0);
  const start = startSchema.safeParse(entry?.body);
  const header = await rt.world.index.get(run);
  const at = entry?.at ?? '';
  return {
    runId: run.runId,
    agent: start.data?.agent ?? '',
    status: header?.stalled ? 'stalled' : 'queued',
    labels: start.data?.labels ?? {},
    seq: -1,
    steps: 0,
    usage: { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, modelCalls: 0, toolCalls: 0 },
    limits: start.data?.limits ?? {},
    ...(start.data?.parent && { parent: { runId: start.data.parent.runId } }),
    interrupts: [],
    values: {},
    evidence: [],
    ...(header?.stalled && { stalled: header.stalled }),
    createdAt: at,
    updatedAt: at,
  };
}

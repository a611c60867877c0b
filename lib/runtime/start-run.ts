import { assertLimits, limitsAbove } from '../core/budget.ts';
import { StepfoldError } from '../core/errors.ts';
import type { Limits } from '../core/event-parts.ts';
import { hashJson, sha256 } from '../core/hash.ts';
import { assertJson, type Json } from '../core/json.ts';
import { statusOf } from '../core/next.ts';
import { payloadFields } from '../core/payload.ts';
import type { RunStatus } from '../core/run-status.ts';
import type { RunKey } from '../ports/run-key.ts';
import { assertPriced } from './assert-priced.ts';
import { loadRun } from './load-run.ts';
import { storePayload } from './payloads.ts';
import { putFromOutside } from './put-from-outside.ts';
import type { Runtime } from './runtime.ts';
import { instant, surroundings } from './surroundings.ts';
import { agentOf } from './visit.ts';

export interface StartOptions {
  readonly tenant: string;
  readonly agent: string;
  readonly input: unknown;
  readonly labels?: Readonly<Record<string, string>>;
  /** May only lower the agent's. */
  readonly limits?: Limits;
  /** The caller's `Idempotency-Key`: the same key and request again is the same run. */
  readonly key?: string;
}

/**
 * Starts a run by putting the first entry into its inbox.
 *
 * @throws StepfoldError `unknown_agent`; `bad_limits`, `limits_above`, `no_prices`; `not_json` for an input that JSON cannot carry; `key_reused` when the key was
 * used for another request.
 */
export async function startRun(
  rt: Runtime,
  options: StartOptions,
): Promise<{ runId: string; status: RunStatus }> {
  const { tenant, key, input, labels, limits } = options;
  const served = agentOf(rt, options.agent);
  const agent = served.name;
  checkLimits(limits ?? {}, served.limits);
  if (limits?.costUsd !== undefined) assertPriced(served);
  assertJson(input);
  const runId = key === undefined ? `run_${rt.world.ids.fresh()}` : runIdOf(tenant, key);
  const run = { tenant, runId };
  const request = hashJson({
    agent,
    input,
    labels: (labels ?? {}) as Json,
    ...(limits && { limits: limits as Json }),
  });
  const known = key === undefined ? undefined : await startedBefore(rt, run, request);
  if (known) return known;
  const stored = payloadFields('input', await storePayload(rt, run, input));
  const body = { agent, request, ...stored, ...(labels && { labels }), ...(limits && { limits }) };
  const at = instant(rt.world.clock.now());
  const entry = { number: 0, id: key ?? runId, kind: 'start' as const, at, body };
  const put = await putFromOutside(rt, run, () => rt.world.inbox.append(run, entry));
  if (put === 'appended') return { runId, status: 'queued' };
  return (await startedBefore(rt, run, request)) ?? { runId, status: 'queued' };
}

/** Limits given at the start can only lower the agent's. */
function checkLimits(wanted: Limits, most: Limits): void {
  assertLimits(wanted);
  const above = limitsAbove(wanted, most);
  if (above.length === 0) return;
  const words = above.map((key) => `${key} at most ${most[key]}, got ${wanted[key]}`);
  throw new StepfoldError(
    'limits_above',
    `expected limits that only lower the agent's: ${words.join('; ')}`,
    {
      details: { most },
    },
  );
}

/** A run that has this id already: the answer to the same request again, which also wakes it, for nobody else may have. */
async function startedBefore(
  rt: Runtime,
  run: RunKey,
  request: string,
): Promise<{ runId: string; status: RunStatus } | undefined> {
  const [there] = await rt.world.inbox.read(run, 0);
  if (!there) return undefined;
  const { runId } = run;
  if ((there.body as { request?: unknown } | null)?.request !== request) {
    throw new StepfoldError(
      'key_reused',
      `expected the same request as before under this Idempotency-Key; it was used for run ${runId} with another body. ` +
        'Use a fresh key for a new run.',
      { details: { runId } },
    );
  }
  await rt.world.wakes.send({ ...run, news: true }, { lane: 'fast' });
  return { runId, status: statusOf((await loadRun(rt, run)).state, surroundings(rt)) };
}

/** The id that a caller's key stands for: another tenant's key gives another. */
function runIdOf(tenant: string, key: string): string {
  return `run_${sha256(JSON.stringify([tenant, key])).slice(0, 40)}`;
}

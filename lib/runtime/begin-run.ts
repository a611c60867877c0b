import * as z from 'zod';
import { lowerLimits } from '../core/budget.ts';
import { StepfoldError } from '../core/errors.ts';
import { limitsSchema, parentSchema, refSchema } from '../core/event-parts.ts';
import { payloadFields, payloadOf } from '../core/payload.ts';
import { agentOf, commit, type Visit } from './visit.ts';

/** The body of a run's first inbox entry. */
export const startSchema = z.object({
  agent: z.string(),
  input: z.unknown().optional(),
  inputRef: refSchema.optional(),
  labels: z.record(z.string(), z.string()).optional(),
  limits: limitsSchema.optional(),
  parent: parentSchema.optional(),
});

/** Appends `run_started` when the inbox has a start. False when there is none: the wake was a stranger. */
export async function beginRun(visit: Visit): Promise<boolean> {
  const { rt, run } = visit;
  const [entry] = await rt.world.inbox.read(run, 0);
  if (!entry) return false;
  const start = startSchema.safeParse(entry.body);
  if (entry.kind !== 'start' || !start.success) {
    throw new StepfoldError(
      'bad_start',
      `expected entry 0 of run ${run.runId} to be its start, got ${entry.kind}`,
    );
  }
  const { agent: name, labels, limits = {}, parent } = start.data;
  const agent = agentOf(rt, name);
  // Every prompt that a run was started with can be shown later, whatever is deployed then.
  await rt.world.blobs.put(run, agent.promptHash, Buffer.from(agent.prompt));
  const started = await commit(visit, [
    {
      type: 'run_started',
      step: 0,
      entry: entry.number,
      agent: agent.name,
      revision: agent.revision,
      promptHash: agent.promptHash,
      limits: lowerLimits(agent.limits, limits),
      ...(labels && { labels }),
      ...(parent && { parent }),
      ...payloadFields('input', payloadOf(start.data, 'input') ?? { value: null }),
    },
  ]);
  if (started) visit.news = true;
  return true;
}

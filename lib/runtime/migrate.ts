import * as z from 'zod';
import type { Agent } from '../agent.ts';
import { StepfoldError } from '../core/errors.ts';
import type { Draft } from '../core/events.ts';
import { assertJson, type Json } from '../core/json.ts';
import type { Migratable, Migration } from '../core/migration.ts';
import { promptOf } from '../models/prompt.ts';
import { loadTranscript } from './load-transcript.ts';
import { fetchPayload } from './payloads.ts';
import { commit, type Visit } from './visit.ts';

const migratableSchema = z.strictObject({
  messages: z.array(z.looseObject({ role: z.enum(['user', 'assistant', 'tool']) })),
  values: z.record(z.string(), z.unknown()),
});

/**
 * Takes a run to the agent's revision by the author's migrations. What they return is the new base of the fold.
 *
 * @throws StepfoldError `migration_failed`: the run is set aside as it was.
 */
export async function migrate(visit: Visit, agent: Agent, chain: readonly Migration[]): Promise<void> {
  const { state } = visit;
  const migrated = await applyChain(visit, chain);
  // The prompt that is accepted from now on can be shown later.
  await visit.rt.world.blobs.put(visit.run, agent.promptHash, Buffer.from(agent.prompt));
  const { messages, values } = migrated;
  const event: Draft = {
    type: 'version_migrated',
    step: state.step,
    from: state.revision,
    to: agent.revision,
    promptHash: agent.promptHash,
    messages,
    values,
  };
  const patches = Object.entries(values).map(
    ([key, value]): Draft => ({ type: 'state_patched', step: state.step, key, value }),
  );
  await commit(visit, [event, ...patches]);
}

async function applyChain(visit: Visit, chain: readonly Migration[]): Promise<Migratable> {
  const { state, rt, run } = visit;
  const { entries } = await loadTranscript(visit);
  const messages = promptOf('', entries, () => Number.POSITIVE_INFINITY) as unknown as Json[];
  const loaded = state.values.map(
    async ({ key, value }) => [key, await fetchPayload(rt, run, value)] as const,
  );
  const values: Record<string, Json> = Object.fromEntries(await Promise.all(loaded));
  let at: Migratable = structuredClone({ messages, values });
  for (const { from, to, migrate: step } of chain) {
    try {
      at = await step(at);
      assertJson(at);
      const shaped = migratableSchema.safeParse(at);
      if (!shaped.success) throw new Error(z.prettifyError(shaped.error));
    } catch (cause) {
      const said = cause instanceof Error ? cause.message : String(cause);
      throw new StepfoldError(
        'migration_failed',
        `expected the migration from ${from} to ${to} to return { messages, values }, but ${said}`,
        { cause },
      );
    }
  }
  return at;
}

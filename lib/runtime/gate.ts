import type { Agent } from '../agent.ts';
import type { Json } from '../core/json.ts';
import { migrationChain } from '../core/migration.ts';
import { describeChange } from '../core/prompt-change.ts';
import type { OpenInterrupt, RunState } from '../core/state.ts';
import { blockDraft, blockRun } from './block-run.ts';
import { migrate } from './migrate.ts';
import { fetchBlob, isDamage } from './payloads.ts';
import { agentOf, commit, type Visit } from './visit.ts';

/** Who lets a run go on because its agent's author has said so beforehand. */
const POLICY = 'stepfold:policy';

/**
 * Old events meet only the code that they were written for, or that was accepted for them. Gives the agent where that is
 * so; `changed` when the view has changed; undefined while the run is parked, and can only be cancelled.
 */
export async function gate(visit: Visit): Promise<Agent | 'changed' | undefined> {
  const { state, rt } = visit;
  // A run that is cancelled needs no code of its own to end, but what it had could have asked.
  if (state.cancel && !fits(rt.agents.get(state.agent), state)) return askNobody(visit);
  const agent = agentOf(rt, state.agent);
  const parked = state.interrupts.find((each) => each.reason === 'version_mismatch');
  if (fits(agent, state)) {
    if (parked) await closeThroughSettle(visit, parked);
    return agent;
  }
  if (parked) return undefined;
  const chain = migrationChain(agent.migrations, state.revision, agent.revision);
  if (chain) {
    await migrate(visit, agent, chain);
    return 'changed';
  }
  const facts = await differences(visit, agent);
  if (agent.onVersionChange === 'refuse') {
    await blockRun(visit, { reason: 'version_mismatch', facts });
    return 'changed';
  }
  const opened = blockDraft(state, { reason: 'version_mismatch', facts });
  const { revision, promptHash } = agent;
  await rt.world.blobs.put(visit.run, promptHash, Buffer.from(agent.prompt));
  await commit(visit, [
    opened,
    {
      type: 'resumed',
      step: opened.step,
      interruptId: `i${state.head + 1}`,
      by: POLICY,
      outcome: { decision: 'verbatim', accepted: { revision, promptHash } },
    },
  ]);
  return 'changed';
}

function fits(agent: Agent | undefined, { revision, promptHash }: RunState): boolean {
  return agent?.revision === revision && agent.promptHash === promptHash;
}

/** Nobody can be asked about dangling calls: they are named as unresolved. */
function askNobody(visit: Visit): undefined {
  for (const call of visit.state.turn?.calls ?? []) visit.asked.set(call.callId, 'unknown');
  return undefined;
}

/** The old code is back: settle says so in the slot, once for each visit that finds it. */
async function closeThroughSettle(visit: Visit, { interruptId }: OpenInterrupt): Promise<void> {
  if (visit.settled) return;
  visit.settled = true;
  await visit.rt.world.wakes.send({ ...visit.run, interruptId }, { lane: 'settle' });
}

async function differences(visit: Visit, agent: Agent): Promise<Record<string, Json>> {
  const { state, run } = visit;
  const words = await changeInWords(visit, agent);
  const { revision, promptHash } = agent;
  return {
    started: { revision: state.revision, promptHash: state.promptHash },
    deployed: { revision, promptHash },
    differences: words,
    commands: [
      `stepfold resume ${run.runId} --mode verbatim`,
      'or deploy the old code again',
      `or stepfold cancel ${run.runId}`,
    ],
  };
}

async function changeInWords({ rt, run, state }: Visit, agent: Agent): Promise<string[]> {
  try {
    const stored = await fetchBlob(rt, run, { sha256: state.promptHash, bytes: 0 });
    return describeChange(Buffer.from(stored).toString(), agent.prompt);
  } catch (error) {
    if (!isDamage(error)) throw error;
    return ['what the old prompt was is not stored any more'];
  }
}

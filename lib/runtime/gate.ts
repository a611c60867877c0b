import type { Agent } from '../agent.ts';
import { StepfoldError } from '../core/errors.ts';
import { agentOf, type Visit } from './visit.ts';

/**
 * Old events meet only the code that they were written for.
 *
 * @throws StepfoldError `version_mismatch`, naming both sides: the run is set aside until that code is back.
 */
export function gate(visit: Visit): Agent {
  const { state, rt, run } = visit;
  const agent = agentOf(rt, state.agent);
  if (agent.revision === state.revision && agent.promptHash === state.promptHash) return agent;
  throw new StepfoldError(
    'version_mismatch',
    `expected agent ${agent.name} as run ${run.runId} was started with it (revision ${state.revision}, prompt ` +
      `${state.promptHash.slice(0, 12)}); deployed is revision ${agent.revision}, prompt ${agent.promptHash.slice(0, 12)}. ` +
      'Deploy that code again and the run goes on.',
    { details: { started: pick(state), deployed: pick(agent) } },
  );
}

function pick({ revision, promptHash }: { revision: string; promptHash: string }) {
  return { revision, promptHash };
}

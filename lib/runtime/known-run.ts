import { StepfoldError } from '../core/errors.ts';
import type { RunState } from '../core/state.ts';
import type { RunKey } from '../ports/run-key.ts';
import { loadRun } from './load-run.ts';
import type { Runtime } from './runtime.ts';

/**
 * The state of a run that exists, if only as a start in its inbox.
 *
 * @throws StepfoldError `unknown_run`
 */
export async function knownRun(rt: Runtime, run: RunKey): Promise<RunState> {
  const { state } = await loadRun(rt, run);
  if (state.status !== 'new' || (await rt.world.inbox.read(run, 0)).length > 0) return state;
  throw new StepfoldError(
    'unknown_run',
    `expected a run that exists; there is no ${JSON.stringify(run.runId)}. \`stepfold runs\` lists them.`,
  );
}

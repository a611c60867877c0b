import { StepfoldError } from '../core/errors.ts';
import type { RunState } from '../core/state.ts';
import type { RunKey } from '../ports/run-key.ts';

/** Refuses what comes after the end of a run, and names the end; one that is ending has its inbox closed already. */
export function runEnded(run: RunKey, state: RunState, expected = 'a run that goes on'): StepfoldError {
  const going = state.status === 'new' || state.status === 'running';
  const how = going ? 'ending at this moment' : `${state.status} since ${state.updatedAt}`;
  return new StepfoldError('run_ended', `expected ${expected}; run ${run.runId} is ${how}`, {
    details: going ? {} : { ended: state.status, at: state.updatedAt },
  });
}

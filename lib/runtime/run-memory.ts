import { statusOf } from '../core/next.ts';
import type { RunKey } from '../ports/run-key.ts';
import type { LoadedRun } from './load-run.ts';
import { surroundings } from './surroundings.ts';
import type { Visit } from './visit.ts';

/**
 * The views of runs that a process was the last to work on. A log is never changed, so what was folded from it stays true,
 * and the next visit reads only what came after. Whoever recalls a view must still find its last commit in the log.
 */
export interface RunMemory {
  recall(run: RunKey): LoadedRun | undefined;
  keep(run: RunKey, view: LoadedRun): void;
  forget(run: RunKey): void;
}

/** @param most how many runs are remembered; of more, those that were worked on last. */
export function createRunMemory(most = 128): RunMemory {
  const views = new Map<string, LoadedRun>();
  const keyOf = ({ tenant, runId }: RunKey) => JSON.stringify([tenant, runId]);

  return {
    recall: (run) => views.get(keyOf(run)),

    keep(run, view) {
      const key = keyOf(run);
      const known = views.get(key);
      views.delete(key);
      views.set(key, known && known.state.head > view.state.head ? known : view);
      const [oldest] = views.keys();
      if (views.size > most && oldest !== undefined) views.delete(oldest);
    },

    forget: (run) => views.delete(keyOf(run)),
  };
}

/** Leaves the view to the next visit. A run at rest is not remembered: it costs nothing. */
export function remember({ rt, run, state, snapshot, last }: Visit): void {
  if (statusOf(state, surroundings(rt)) === 'running') rt.memory?.keep(run, { state, snapshot, last });
  else rt.memory?.forget(run);
}

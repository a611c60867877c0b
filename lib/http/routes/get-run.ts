import * as z from 'zod';
import type { RunKey } from '../../ports/run-key.ts';
import { describeRun } from '../../runtime/describe-run.ts';
import type { RunView } from '../../runtime/run-view.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { hasGrown } from '../has-grown.ts';
import { defineRoute } from '../route.ts';
import { runIdSchema } from '../schemas/ids.ts';
import { waitSchema } from '../schemas/query.ts';
import { runSchema } from '../schemas/run.ts';
import { waitUntil } from '../wait-until.ts';

/** A stall is no event, so that the whole view is looked at now and then. */
const WHOLE_LOOK_MS = 1_000;

export const getRunRoute = defineRoute({
  method: 'get',
  path: '/runs/{runId}',
  operationId: 'getRun',
  summary: 'Describe a run, folded from its log',
  params: z.strictObject({ runId: runIdSchema }),
  query: z.strictObject({
    wait: waitSchema.optional().describe('Seconds to wait for the run to pause, end or stall.'),
  }),
  answers: { 200: { description: 'The run.', schema: runSchema } },
  problems: ['unknown_run', 'unknown_event'],
  async handle({ params, query, identity, signal }, { runtime }) {
    const look = lookAt(runtime, { tenant: identity.tenant, runId: params.runId });
    const view = await waitUntil(look, { enough: rests, seconds: query.wait ?? 0, signal });
    return { status: 200, body: view };
  },
});

/** Folds the run again only when its log has grown. */
function lookAt(runtime: Runtime, run: RunKey) {
  let folded = 0;
  return async (seen: RunView | undefined): Promise<RunView> => {
    const due = performance.now() - folded > WHOLE_LOOK_MS;
    if (seen && !due && !(await hasGrown(runtime, run, seen.seq))) return seen;
    folded = performance.now();
    return describeRun(runtime, run);
  };
}

function rests(view: RunView): boolean {
  return view.status !== 'queued' && view.status !== 'running';
}

import * as z from 'zod';
import { cancelRun } from '../../runtime/tell-run.ts';
import { defineRoute } from '../route.ts';
import { runIdSchema } from '../schemas/ids.ts';
import { cancelBodySchema, cancelTakenSchema } from '../schemas/inbox.ts';

export const cancelRunRoute = defineRoute({
  method: 'post',
  path: '/runs/{runId}/cancel',
  operationId: 'cancelRun',
  summary: 'Ask for a run to be cancelled; what is in flight settles first',
  params: z.strictObject({ runId: runIdSchema }),
  body: cancelBodySchema,
  bodyOptional: true,
  answers: {
    202: { description: 'It was asked for. Asking again is the same answer.', schema: cancelTakenSchema },
  },
  problems: ['unknown_run', 'run_ended'],
  async handle({ params, body, identity }, { runtime, trustBody }) {
    const { by, reason } = body;
    await cancelRun(
      runtime,
      { tenant: identity.tenant, runId: params.runId },
      { by: (trustBody ? by : undefined) ?? identity.by, ...(reason !== undefined && { reason }) },
    );
    return { status: 202, body: { runId: params.runId, cancelRequested: true } };
  },
});

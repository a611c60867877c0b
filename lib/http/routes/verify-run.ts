import * as z from 'zod';
import { verifyRun } from '../../runtime/verify-run.ts';
import { defineRoute } from '../route.ts';
import { runIdSchema } from '../schemas/ids.ts';
import { verificationSchema } from '../schemas/verification.ts';

export const verifyRunRoute = defineRoute({
  method: 'get',
  path: '/runs/{runId}/verify',
  operationId: 'verifyRun',
  summary: 'Check the guarantees over the log and what the stores hold',
  params: z.strictObject({ runId: runIdSchema }),
  answers: {
    200: { description: 'What was violated and what could not be checked.', schema: verificationSchema },
  },
  problems: ['unknown_run'],
  async handle({ params, identity }, { runtime }) {
    return { status: 200, body: await verifyRun(runtime, { tenant: identity.tenant, runId: params.runId }) };
  },
});

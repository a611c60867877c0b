import * as z from 'zod';
import { sendSignal } from '../../runtime/tell-run.ts';
import { defineRoute } from '../route.ts';
import { runIdSchema } from '../schemas/ids.ts';
import { signalBodySchema, signalTakenSchema } from '../schemas/inbox.ts';

export const sendSignalRoute = defineRoute({
  method: 'post',
  path: '/runs/{runId}/signals',
  operationId: 'sendSignal',
  summary: 'Put a signal into the inbox of a run; one that nobody awaits yet is kept',
  params: z.strictObject({ runId: runIdSchema }),
  body: signalBodySchema,
  answers: {
    202: {
      description: 'The signal is in the inbox. The same id again is the same answer.',
      schema: signalTakenSchema,
    },
  },
  problems: ['unknown_run', 'run_ended', 'not_json'],
  async handle({ params, body, identity }, { runtime }) {
    const { name, payload, signalId } = body;
    const run = { tenant: identity.tenant, runId: params.runId };
    const taken = await sendSignal(runtime, run, {
      name,
      ...(payload !== undefined && { payload }),
      ...(signalId !== undefined && { signalId }),
    });
    return { status: 202, body: { runId: params.runId, ...taken } };
  },
});

import * as z from 'zod';
import { resumeRun } from '../../runtime/resume-run.ts';
import { defineRoute } from '../route.ts';
import { decisionSchema } from '../schemas/decision.ts';
import { runIdSchema } from '../schemas/ids.ts';
import { resumeRunBodySchema } from '../schemas/resume-run.ts';

export const resumeRunRoute = defineRoute({
  method: 'post',
  path: '/runs/{runId}/resume',
  operationId: 'resumeRun',
  summary: 'Let a run go on that waits because of its version, its budget or its provider',
  params: z.strictObject({ runId: runIdSchema }),
  body: resumeRunBodySchema,
  answers: {
    200: {
      description: 'The decision holds. The same by the same person again is the same answer.',
      schema: decisionSchema,
    },
  },
  problems: [
    'unknown_run',
    'unknown_agent',
    'run_ended',
    'run_cancelling',
    'not_blocked',
    'limits_required',
    'no_prices',
    'no_migration',
    'wrong_decision',
    'already_decided',
    'interrupt_closed',
  ],
  async handle({ params, body, identity }, { runtime, trustBody }) {
    const { mode, limits, by, note } = body;
    const run = { tenant: identity.tenant, runId: params.runId };
    const made = await resumeRun(runtime, run, {
      mode,
      by: (trustBody ? by : undefined) ?? identity.by,
      ...(limits && { limits }),
      ...(note !== undefined && { note }),
    });
    return { status: 200, body: made };
  },
});

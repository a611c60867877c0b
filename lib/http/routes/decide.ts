import * as z from 'zod';
import { decide } from '../../runtime/decide.ts';
import { defineRoute } from '../route.ts';
import { decideBodySchema, decisionSchema } from '../schemas/decision.ts';
import { interruptIdSchema, runIdSchema } from '../schemas/ids.ts';

export const decideRoute = defineRoute({
  method: 'post',
  path: '/runs/{runId}/interrupts/{interruptId}/decision',
  operationId: 'decide',
  summary: 'Decide an interrupt; the first decision wins',
  params: z.strictObject({ runId: runIdSchema, interruptId: interruptIdSchema }),
  body: decideBodySchema,
  answers: {
    200: {
      description: 'The decision holds. The same by the same person again is the same answer.',
      schema: decisionSchema,
    },
  },
  problems: [
    'unknown_run',
    'unknown_interrupt',
    'wrong_decision',
    'value_required',
    'value_not_allowed',
    'wrong_answer',
    'not_json',
    'already_decided',
    'interrupt_closed',
    'run_ended',
    'run_cancelling',
    'too_early',
  ],
  async handle({ params, body, identity }, { runtime, trustBody }) {
    const { decision, note, value } = body;
    const made = await decide(runtime, { tenant: identity.tenant, runId: params.runId }, params.interruptId, {
      decision,
      by: (trustBody ? body.by : undefined) ?? identity.by,
      ...(note !== undefined && { note }),
      ...('value' in body && { value }),
    });
    return { status: 200, body: made };
  },
});

import { startRun } from '../../runtime/start-run.ts';
import { defineRoute } from '../route.ts';
import { startedSchema } from '../schemas/run.ts';
import { idempotencySchema, startRunBodySchema } from '../schemas/start-run.ts';

export const startRunRoute = defineRoute({
  method: 'post',
  path: '/runs',
  operationId: 'startRun',
  summary: 'Start a run',
  headers: idempotencySchema,
  body: startRunBodySchema,
  answers: {
    202: { description: 'The run is in its inbox and will go on by itself.', schema: startedSchema },
  },
  problems: ['unknown_agent', 'key_reused', 'limits_above', 'no_prices', 'not_json'],
  async handle({ headers, body, identity }, { runtime }) {
    const { agent, input, labels, limits } = body;
    const key = headers['idempotency-key'];
    const started = await startRun(runtime, {
      tenant: identity.tenant,
      agent,
      input,
      ...(labels && { labels }),
      ...(limits && { limits }),
      ...(key !== undefined && { key }),
    });
    return { status: 202, body: started };
  },
});

import * as z from 'zod';
import { interruptReasonSchema } from '../../core/event-parts.ts';
import { listInterrupts } from '../../runtime/list-runs.ts';
import { defineRoute } from '../route.ts';
import { wholeNumber } from '../schemas/query.ts';
import { interruptListSchema } from '../schemas/run.ts';

const DEFAULT_LIMIT = 100;

export const listInterruptsRoute = defineRoute({
  method: 'get',
  path: '/interrupts',
  operationId: 'listInterrupts',
  summary: 'List what waits for people, oldest first',
  query: z.strictObject({
    reason: interruptReasonSchema
      .optional()
      .describe(
        'Only of this reason. Without it, what ends by itself (`timer`, `awaiting_child`) is left out.',
      ),
    agent: z.string().min(1).max(64).optional(),
    limit: wholeNumber({ min: 1, max: 500 }).optional(),
  }),
  answers: { 200: { description: 'Open interrupts.', schema: interruptListSchema } },
  problems: [],
  async handle({ query, identity }, { runtime }) {
    const { reason, agent, limit = DEFAULT_LIMIT } = query;
    const list = await listInterrupts(runtime, {
      tenant: identity.tenant,
      limit,
      ...(reason !== undefined && { reason }),
      ...(agent !== undefined && { agent }),
    });
    return { status: 200, body: list };
  },
});

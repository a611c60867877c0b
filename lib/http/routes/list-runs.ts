import * as z from 'zod';
import { listRuns } from '../../runtime/list-runs.ts';
import { defineRoute } from '../route.ts';
import { wholeNumber } from '../schemas/query.ts';
import { runListSchema, runStatusSchema } from '../schemas/run.ts';

const DEFAULT_LIMIT = 50;

export const listRunsRoute = defineRoute({
  method: 'get',
  path: '/runs',
  operationId: 'listRuns',
  summary: 'List runs, newest first',
  query: z.strictObject({
    agent: z.string().min(1).max(64).optional(),
    status: runStatusSchema.optional(),
    limit: wholeNumber({ min: 1, max: 500 }).optional(),
    cursor: z.string().min(1).max(1_024).optional(),
  }),
  answers: { 200: { description: 'A page of runs.', schema: runListSchema } },
  problems: ['bad_cursor'],
  async handle({ query, identity }, { runtime }) {
    const { agent, status, limit = DEFAULT_LIMIT, cursor } = query;
    const page = await listRuns(runtime, {
      tenant: identity.tenant,
      limit,
      ...(agent !== undefined && { agent }),
      ...(status !== undefined && { status }),
      ...(cursor !== undefined && { cursor }),
    });
    return { status: 200, body: page };
  },
});

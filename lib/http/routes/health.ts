import * as z from 'zod';
import { defineRoute } from '../route.ts';
import { named } from '../schemas/named.ts';

export const healthRoute = defineRoute({
  method: 'get',
  path: '/health',
  operationId: 'health',
  summary: 'Say that the API answers',
  open: true,
  answers: {
    200: {
      description: 'It does.',
      schema: named('Health', z.object({ status: z.literal('ok'), service: z.literal('stepfold') })),
    },
  },
  problems: [],
  handle: () => ({ status: 200, body: { status: 'ok', service: 'stepfold' } }),
});

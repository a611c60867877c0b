import * as z from 'zod';
import { bySchema } from './by.ts';
import { limitOptionsSchema } from './limits.ts';
import { named } from './named.ts';

/** How a run goes on that waits as a whole. */
export const resumeRunBodySchema = named(
  'ResumeRun',
  z.strictObject({
    mode: z
      .enum(['verbatim', 'migrate'])
      .describe(
        '`verbatim`: as it is, under the code that is deployed now; `migrate`: by the migrations of its author.',
      ),
    limits: limitOptionsSchema.optional().describe('Limits that hold from now on.'),
    by: bySchema.optional(),
    note: z.string().max(10_000).optional(),
  }),
);

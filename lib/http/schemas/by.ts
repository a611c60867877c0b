import * as z from 'zod';

/** Names under which the runtime itself writes: nobody may pass for it. */
const OURS = /^(stepfold|run):/;

/** Who says something, where a name in a body counts. */
export const bySchema = z
  .string()
  .min(1)
  .max(256)
  .refine((by) => !OURS.test(by), 'expected a name that does not begin with stepfold: or run:')
  .describe('Counts in the local world only; elsewhere it is the verified identity.');

import * as z from 'zod';
import { limitOptionsSchema } from './limits.ts';
import { named } from './named.ts';

const MAX_LABELS = 50;

/** What starts a run. */
export const startRunBodySchema = named(
  'StartRun',
  z.strictObject({
    agent: z.string().min(1).max(64),
    input: z
      .unknown()
      .refine((value) => value !== undefined, 'expected any JSON value')
      .describe(
        'A string is the first user message; an array of AI SDK user content parts is taken as such; other JSON becomes its text.',
      ),
    limits: limitOptionsSchema.optional().describe("May only lower the agent's."),
    labels: z
      .record(z.string().min(1).max(64), z.string().max(256))
      .refine((labels) => Object.keys(labels).length <= MAX_LABELS, `expected at most ${MAX_LABELS} labels`)
      .optional(),
  }),
);

const KEY = 'expected an Idempotency-Key of 1 to 255 printable ASCII characters';

export const idempotencySchema = z.object({
  'idempotency-key': z
    .string()
    .regex(/^[\x20-\x7e]{1,255}$/, KEY)
    .optional()
    .describe('The same key and body again is the same run.'),
});

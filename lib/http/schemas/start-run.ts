import * as z from 'zod';
import { limitOptionsSchema } from './limits.ts';
import { named } from './named.ts';

const MAX_LABELS = 50;

const labels = z
  .record(z.string().min(1).max(64), z.string().max(256))
  .refine((given) => Object.keys(given).length <= MAX_LABELS, `expected at most ${MAX_LABELS} labels`);

/** zod leaves this name out of a record without a word. */
function refuseProto(given: unknown, context: z.RefinementCtx): unknown {
  if (typeof given === 'object' && given !== null && Object.hasOwn(given, '__proto__')) {
    context.addIssue({ code: 'custom', path: ['__proto__'], message: 'expected another name' });
  }
  return given;
}

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
    labels: z.preprocess(refuseProto, labels).optional(),
  }),
);

const KEY = 'expected one Idempotency-Key of 1 to 255 printable ASCII characters, without commas';

export const idempotencySchema = z.object({
  'idempotency-key': z
    .string()
    // A comma stands between the values of a header that was sent twice.
    .regex(/^[\x20-\x2b\x2d-\x7e]{1,255}$/, KEY)
    .optional()
    .describe('The same key and body again is the same run.'),
});

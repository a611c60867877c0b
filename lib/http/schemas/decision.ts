import * as z from 'zod';
import { refSchema } from '../../core/event-parts.ts';
import { bySchema } from './by.ts';
import { heldLimitsSchema } from './limits.ts';
import { named } from './named.ts';

/** What a person answers to an interrupt. */
export const decideBodySchema = named(
  'Decide',
  z.strictObject({
    decision: z.string().min(1).max(64).describe('One of the `decisions` of the interrupt.'),
    by: bySchema.optional(),
    note: z.string().max(10_000).optional(),
    value: z
      .unknown()
      .optional()
      .describe(
        '`happened`: what the call gave; `answer`: the answer, which must fit the `schema` of the interrupt.',
      ),
  }),
);

export const decisionSchema = named(
  'Decision',
  z.object({
    interruptId: z.string(),
    decision: z.string(),
    by: z.string(),
    at: z.string(),
    note: z.string().optional(),
    argsHash: z.string().optional().describe('The arguments that were approved or denied.'),
    limits: heldLimitsSchema
      .optional()
      .describe('The limits that hold from now on, where they were changed.'),
    accepted: z
      .object({ revision: z.string(), promptHash: z.string() })
      .optional()
      .describe('The code that the run goes on under.'),
    value: z.unknown().optional(),
    valueRef: refSchema.optional(),
  }),
);

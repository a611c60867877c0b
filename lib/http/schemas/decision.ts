import * as z from 'zod';
import { refSchema } from '../../core/event-parts.ts';
import { named } from './named.ts';

/** What a person answers to an interrupt. */
export const decideBodySchema = named(
  'Decide',
  z.strictObject({
    decision: z.string().min(1).max(64).describe('One of the `decisions` of the interrupt.'),
    by: z
      .string()
      .min(1)
      .max(256)
      .optional()
      .describe('Counts in the local world only; elsewhere it is the verified identity.'),
    note: z.string().max(10_000).optional(),
    value: z.unknown().optional().describe('`happened`: what the call gave.'),
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
    value: z.unknown().optional(),
    valueRef: refSchema.optional(),
  }),
);

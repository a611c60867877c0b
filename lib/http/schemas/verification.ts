import * as z from 'zod';
import { named } from './named.ts';

export const verificationSchema = named(
  'Verification',
  z.object({
    ok: z.boolean(),
    violations: z.array(z.object({ guarantee: z.int(), message: z.string(), events: z.array(z.int()) })),
    notChecked: z.array(z.object({ guarantee: z.int(), why: z.string() })),
  }),
);

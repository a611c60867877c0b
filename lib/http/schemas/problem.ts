import * as z from 'zod';
import { named } from './named.ts';

export const problemSchema = named(
  'Problem',
  z
    .looseObject({
      type: z.string(),
      title: z.string(),
      status: z.int(),
      detail: z.string().describe('What was expected, what came, and what to do.'),
      code: z.string().describe('Stable, for programs.'),
    })
    .describe('An error (RFC 9457). Facts such as who decided and when stand beside these members.'),
);

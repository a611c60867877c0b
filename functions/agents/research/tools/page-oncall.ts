import * as z from 'zod';
import { defineTool, once } from '../../../../lib/index.ts';
import { settings } from '../settings.ts';
import { postToDesk } from './desk-client.ts';

/** A page has no key, cannot be asked for, and has no undo: a call that was cut off waits for a person. */
export const pageOncall = defineTool({
  name: 'page_oncall',
  description:
    'Page the engineer on call. It wakes somebody up; use it once and only when the runbook says so.',
  input: z.object({
    severity: z.enum(['low', 'high']),
    message: z.string().min(1).max(500),
  }),
  effect: once({ horizon: settings.deskHorizon }),
  run: async (args, ctx) => {
    const page = await postToDesk('/pages', args, ctx);
    return { page: z.object({ id: z.string() }).parse(page).id };
  },
});

import * as z from 'zod';
import { defineTool, keyed } from '../../../../lib/index.ts';
import { postToDesk, ticketResult } from './desk-client.ts';

/** Closing is a person's decision, and the approval holds for exactly these arguments. */
export const closeTicket = defineTool({
  name: 'close_ticket',
  description: 'Close a ticket of the desk. A person must approve it.',
  input: z.object({
    ticket: z.string().describe('the id of the ticket, such as T-1'),
    resolution: z.string().min(1).max(2_000),
  }),
  effect: keyed({ window: '24h' }),
  approval: {
    summary: ({ ticket, resolution }) => `Close ${ticket}: ${resolution}`,
    risk: 'medium',
    expiresIn: '7d',
  },
  run: async ({ ticket, resolution }, ctx) =>
    ticketResult(await postToDesk(`/tickets/${encodeURIComponent(ticket)}/close`, { resolution }, ctx)),
});

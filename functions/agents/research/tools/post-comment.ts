import * as z from 'zod';
import { defineTool, keyed } from '../../../../lib/index.ts';
import { postToDesk } from './desk-client.ts';

/** The desk honours our key for a day: a call that was cut off is sent again. */
export const postComment = defineTool({
  name: 'post_comment',
  description: 'Comment on a ticket of the desk.',
  input: z.object({
    ticket: z.string().describe('the id of the ticket, such as T-1'),
    text: z.string().min(1).max(10_000),
  }),
  effect: keyed({ window: '24h' }),
  run: async ({ ticket, text }, ctx) => {
    const comment = await postToDesk(`/tickets/${encodeURIComponent(ticket)}/comments`, { text }, ctx);
    return { comment: z.object({ id: z.string() }).parse(comment).id, ticket };
  },
});

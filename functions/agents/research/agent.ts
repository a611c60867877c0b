import { defineAgent } from '../../../lib/index.ts';
import { model } from './model.ts';
import { closeTicket } from './tools/close-ticket.ts';
import { createTicket } from './tools/create-ticket.ts';
import { pageOncall } from './tools/page-oncall.ts';
import { postComment } from './tools/post-comment.ts';
import { searchNotes } from './tools/search-notes.ts';

/** Answers questions on operating the shop from its notes, and sees to it that somebody follows up. */
export const research = defineAgent({
  name: 'research',
  revision: '1',
  model,
  instructions: `You answer questions on operating a web shop.
Search the notes first and answer from them alone; cite each fact as [note:line].
Then open a ticket for the follow-up, comment on it with your sources, page the engineer on call if the runbook asks
for it, and close the ticket when nothing is left to do. If an outcome is unknown, say so; do not repeat it as new.`,
  tools: [searchNotes, createTicket, postComment, pageOncall, closeTicket],
});

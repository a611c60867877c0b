import * as z from 'zod';
import { defineTool, lookup } from '../../../../lib/index.ts';
import { settings } from '../settings.ts';
import { findTicket, postToDesk, ticketResult } from './desk-client.ts';

/** The desk makes a ticket for every request, but can be asked by key: a call that was cut off is looked up. */
export const createTicket = defineTool({
  name: 'create_ticket',
  description: 'Open a ticket in the desk. Gives its id.',
  input: z.object({
    title: z.string().min(1).max(200),
    body: z.string().min(1).max(10_000),
  }),
  effect: lookup({ find: (key, _args, ctx) => findTicket(key, ctx), horizon: settings.deskHorizon }),
  run: async (args, ctx) => ticketResult(await postToDesk('/tickets', args, ctx)),
});

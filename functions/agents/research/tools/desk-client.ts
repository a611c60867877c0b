import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod';
import { type FindContext, type Found, type ToolContext, ToolError } from '../../../../lib/index.ts';
import { settings } from '../settings.ts';

const ticketSchema = z.object({ id: z.string(), title: z.string(), status: z.string() });
const problemSchema = z.object({ code: z.string(), detail: z.string() });

/** What the model is told of a ticket. */
export function ticketResult(ticket: unknown): { ticket: string; title: string; status: string } {
  const { id, title, status } = ticketSchema.parse(ticket);
  return { ticket: id, title, status };
}

/**
 * Sends one request to the desk under the call's idempotency key.
 *
 * @throws ToolError with the desk's own words when it refuses; `ctx.fetch` throws on what leaves the outcome open.
 */
export async function postToDesk(path: string, body: object, ctx: ToolContext): Promise<unknown> {
  await wait(settings.deskSendDelay, undefined, { signal: ctx.signal });
  const answer = await ctx.fetch(settings.deskUrl + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  const said: unknown = await answer.json();
  if (answer.ok) return said;
  const problem = problemSchema.safeParse(said);
  throw new ToolError(
    problem.success ? `${problem.data.code}: ${problem.data.detail}` : `HTTP ${answer.status}`,
  );
}

/** What became of the ticket with this key. A desk that cannot be asked is a desk that does not know. */
export async function findTicket(key: string, { signal }: FindContext): Promise<Found> {
  const answer = await fetch(`${settings.deskUrl}/tickets?key=${encodeURIComponent(key)}`, { signal });
  if (!answer.ok) return 'unknown';
  const [ticket] = z.object({ tickets: z.array(z.unknown()) }).parse(await answer.json()).tickets;
  return ticket === undefined ? 'not_found' : { found: ticketResult(ticket) };
}

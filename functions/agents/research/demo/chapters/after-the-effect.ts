import { HELD_MS } from '../server-process.ts';
import type { Stage } from '../stage.ts';

/** A kill after the desk made the ticket and before anybody heard of it: the desk is asked by key. */
export async function killAfterTheEffect(stage: Stage, run: string): Promise<void> {
  stage.chapter('Killed after the desk made the ticket, before its answer came');
  const key = String((await stage.log(run)).toolRequests('create_ticket')[0]?.idempotencyKey);
  const ticket = await stage.see('desk', 'made a ticket, and is slow to answer', async () => {
    return (await stage.desk.tickets(key))[0];
  });
  const unreturned = (await stage.log(run)).toolReturned('create_ticket');
  stage.claim('log', 'no tool_returned: as far as the log knows, there may be a ticket or none', {
    held: unreturned === undefined,
    got: unreturned,
  });

  await stage.kill(`${ticket.id} is made, and nobody wrote that down`);
  await stage.desk.tell({ create_ticket: { delayAfter: 0 } });
  await stage.serve({ model: HELD_MS });
  await stage.see('log', `tool_returned (source: reconciled): ${ticket.id}`, async () => {
    const returned = (await stage.log(run)).toolReturned('create_ticket');
    const result = returned?.result as { ticket?: string } | undefined;
    return returned?.source === 'reconciled' && result?.ticket === ticket.id;
  });
  const requests = await stage.desk.requests(key);
  const sent = requests.filter(({ route }) => route === 'create_ticket');
  const tickets = await stage.desk.tickets(key);
  stage.claim('desk', `was asked for that key again; 1 request to open a ticket in all, and 1 ticket`, {
    held: sent.length === 1 && requests.length === 3 && tickets.length === 1,
    got: { requests, tickets },
  });
}

import { HELD_MS, HORIZON_MS } from '../server-process.ts';
import type { Stage } from '../stage.ts';

/** A kill after the claim of `create_ticket` and before its request: the desk knows nothing, so that it is sent. */
export async function killBeforeTheRequest(stage: Stage, run: string): Promise<void> {
  stage.chapter('Killed between the claim of a tool call and its request');
  const { idempotencyKey: key, at } = await stage.see(
    'log',
    'tool_call_requested: create_ticket is claimed (attempt 1)',
    async () => (await stage.log(run)).toolRequests('create_ticket')[0],
  );
  const received = await stage.desk.requests(key);
  stage.claim('desk', `received nothing under its key, ${key}`, {
    held: received.length === 0,
    got: received,
  });

  await stage.kill('the claim is in the log, the request was not sent');
  await stage.desk.tell({ create_ticket: { delayAfter: HELD_MS } });
  await stage.serve();
  await stage.see(
    'desk',
    `was asked for that key after ${HORIZON_MS / 1_000} s, when a late request would have landed, and knew none`,
    async () => {
      const [first] = await stage.desk.requests(key);
      if (first?.answer !== 'sent') return undefined;
      return first.route === 'find_ticket' && Date.parse(first.at) - Date.parse(at) >= HORIZON_MS;
    },
  );
  await stage.see('log', 'tool_call_requested: create_ticket, attempt 2 under the same key', async () => {
    const second = (await stage.log(run)).toolRequests('create_ticket')[1];
    return second?.attempt === 2 && second.idempotencyKey === key;
  });
}

import type { Stage } from '../stage.ts';

/** A kill after an approved call had its effect: it is sent again on the same approval, under the same key. */
export async function killInApprovedCall(stage: Stage, run: string): Promise<void> {
  stage.chapter('Killed once more, inside the approved call');
  const key = String((await stage.log(run)).toolRequests('close_ticket')[0]?.idempotencyKey);
  await stage.see('desk', 'closed the ticket, and is slow to answer', async () => {
    return (await stage.desk.requests(key))[0]?.did === 'applied';
  });

  await stage.kill('the ticket is closed, and nobody wrote that down');
  await stage.desk.tell({ close_ticket: { delayAfter: 0 } });
  await stage.serve();
  await stage.see(
    'log',
    'tool_call_requested: attempt 2 on the same approval, under the same key; then tool_returned',
    async () => {
      const log = await stage.log(run);
      const [first, again] = log.toolRequests('close_ticket');
      const same = first?.approval === again?.approval && first?.idempotencyKey === again?.idempotencyKey;
      return same && log.toolReturned('close_ticket')?.source === 'executed';
    },
  );
  const requests = await stage.desk.requests(key);
  stage.claim('desk', 'knew the key, and gave its first answer again; closed once', {
    held: requests.map(({ did }) => did).join() === 'applied,replayed',
    got: requests,
  });
}

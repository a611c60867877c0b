import { HORIZON_MS } from '../server-process.ts';
import type { Stage } from '../stage.ts';

/** The desk hangs up after a comment: it honours keys there, so that the worker, alive, sends the same request again. */
export async function dropComment(stage: Stage, run: string): Promise<void> {
  stage.chapter('The connection drops and the worker lives: a tool whose key the desk honours');
  await stage.see('log', 'tool_call_failed: post_comment, outcome unknown', async () => {
    return (await stage.log(run)).toolFailed('post_comment')?.outcome === 'unknown';
  });
  const { idempotencyKey: key } = await stage.see(
    'log',
    'tool_call_requested: attempt 2 under the same key, by the same process; then tool_returned',
    async () => {
      const log = await stage.log(run);
      const [first, second] = log.toolRequests('post_comment');
      if (!first || !second || log.toolReturned('post_comment') === undefined) return undefined;
      const same = first.idempotencyKey === second.idempotencyKey && processOf(first) === processOf(second);
      return same && first;
    },
  );
  const requests = await stage.desk.requests(key);
  const comments = await stage.desk.comments(key);
  stage.claim('desk', 'received it twice, knew the key, and gave its first answer again; 1 comment', {
    held: requests.map(({ did }) => did).join() === 'applied,replayed' && comments.length === 1,
    got: { requests, comments },
  });
}

/** The desk hangs up after it made a ticket: the worker, alive, asks by key. Gives the second run's id. */
export async function dropTicket(stage: Stage): Promise<string> {
  stage.chapter('Meanwhile a second run: the connection drops at a tool that is asked by key');
  await stage.desk.tell({ create_ticket: { drop: 1 }, page_oncall: { delayBefore: 0 } });
  const { runId } = await stage.stepfold('start', ['research', 'Why was search slow on Black Friday?']);
  const run = String(runId);
  const { idempotencyKey: key } = await stage.see(
    'log',
    'tool_call_failed: create_ticket, outcome unknown',
    async () => {
      const log = await stage.log(run);
      return log.toolFailed('create_ticket')?.outcome === 'unknown' && log.toolRequests('create_ticket')[0];
    },
  );
  await stage.see('log', `tool_returned (source: reconciled), after ${HORIZON_MS / 1_000} s`, async () => {
    const log = await stage.log(run);
    const [failed, returned] = [log.toolFailed('create_ticket'), log.toolReturned('create_ticket')];
    if (!failed || returned?.source !== 'reconciled') return undefined;
    return Date.parse(returned.at) - Date.parse(failed.at) >= HORIZON_MS;
  });
  const routes = (await stage.desk.requests(key)).map(({ route, answer }) => `${route} ${answer}`);
  const tickets = await stage.desk.tickets(key);
  stage.claim('desk', 'made the ticket and hung up; was asked for the key and told of it; 1 ticket', {
    held: routes.join() === 'create_ticket dropped,find_ticket sent' && tickets.length === 1,
    got: { routes, tickets },
  });
  return run;
}

/** The process that claimed a call: the part of an owner's name that all workers of one process share. */
function processOf({ claim }: { claim: { owner: string } }): string | undefined {
  return claim.owner.split('.')[0];
}

import { formatClock } from '../../../../../lib/cli/format-time.ts';
import type { Stage } from '../stage.ts';

/** A kill inside `page_oncall`, which has no key and cannot be asked for: a person says what came of it. */
export async function killInsidePage(stage: Stage, run: string): Promise<void> {
  stage.chapter('Killed inside page_oncall, which nobody can take back or ask about');
  const { idempotencyKey: key } = await stage.see(
    'log',
    'tool_call_requested: page_oncall (effect: once)',
    async () => (await stage.log(run)).toolRequests('page_oncall')[0],
  );
  await stage.see('desk', 'received the request, and is slow to send the page', async () => {
    return (await stage.desk.requests(key))[0]?.did === 'received';
  });

  await stage.kill('the request is at the desk, the page is not out yet');
  const died = Date.now();
  await stage.serve();
  const { retryAfter } = await stage.see(
    'log',
    'interrupted (in_doubt): it is not sent again, a person must say what happened',
    async () => (await stage.log(run)).interrupted('in_doubt'),
  );
  stage.tell(
    'log',
    `before ${formatClock(String(retryAfter))} no person may say \`retry\`: the lost request may still land`,
  );
  const page = await stage.see('desk', 'sent the page, after its worker was dead', async () => {
    const [page] = await stage.desk.pages(key);
    return page !== undefined && Date.parse(page.at) > died && page;
  });

  const value = JSON.stringify({ page: page.id });
  await stage.stepfold('resolve', [run, '--decision', 'happened', '--value', value, '--by', 'ines']);
  await stage.see('log', `tool_returned (source: operator): ${value}`, async () => {
    const returned = (await stage.log(run)).toolReturned('page_oncall');
    return returned?.source === 'operator' && JSON.stringify(returned.result) === value;
  });
  const requests = await stage.desk.requests(key);
  const pages = await stage.desk.pages(key);
  stage.claim('desk', '1 request to page in all, and 1 page', {
    held: requests.length === 1 && pages.length === 1,
    got: { requests, pages },
  });
}

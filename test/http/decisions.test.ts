import { expect, test } from 'vitest';
import { openOffice } from './office.ts';

async function waiting(office: ReturnType<typeof openOffice>, agent: 'payer' | 'pager') {
  const runId = await office.run(agent);
  const { body } = await office.get(`/runs/${runId}`);
  const interruptId = body.interrupts[0]?.interruptId;
  return { runId, body, path: `/runs/${runId}/interrupts/${interruptId}/decision` };
}

test('an approval lets the call be made, and the same by the same person again is the same answer', async () => {
  const office = openOffice();
  const { runId, path, body } = await waiting(office, 'payer');
  expect(body.interrupts).toMatchObject([
    { reason: 'awaiting_approval', tool: 'pay', args: { amount: 3 }, summary: 'Pay 3', risk: 'high' },
  ]);
  const first = await office.post(path, { decision: 'approve', by: 'ann', note: 'fine' });
  expect(first).toMatchObject({ status: 200, body: { decision: 'approve', by: 'ann', note: 'fine' } });
  await office.drive();
  const again = await office.post(path, { decision: 'approve', by: 'ann', note: 'again' });
  expect(again).toMatchObject({ status: 200, body: first.body });
  expect((await office.get(`/runs/${runId}`)).body).toMatchObject({ status: 'completed', output: 'paid' });
});

test('of twenty people at once one decides, and the rest are told who and when', async () => {
  const office = openOffice();
  const { path } = await waiting(office, 'payer');
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      office.post(path, { decision: i % 2 ? 'approve' : 'deny', by: `person ${i}` }),
    ),
  );
  const [winner] = answers.filter(({ status }) => status === 200);
  const losers = answers.filter(({ status }) => status === 409);
  expect(losers).toHaveLength(19);
  for (const { body } of losers) {
    expect(body).toMatchObject({
      code: 'already_decided',
      decision: winner?.body.decision,
      by: winner?.body.by,
      at: winner?.body.at,
    });
  }
});

test('a decision of the wrong kind is refused with the ones that are expected', async () => {
  const office = openOffice();
  const { path } = await waiting(office, 'payer');
  const before = office.writes.length;
  expect(await office.post(path, { decision: 'retry' })).toMatchObject({
    status: 422,
    body: { code: 'wrong_decision', expected: ['approve', 'deny'] },
  });
  expect(await office.post(path, { decision: 'approve', value: null })).toMatchObject({
    status: 422,
    body: { code: 'value_not_allowed' },
  });
  const other = await office.post(path.replace(/i\d+/, 'i999'), { decision: 'approve' });
  expect(other).toMatchObject({ status: 404, body: { code: 'unknown_interrupt' } });
  expect(office.writes).toHaveLength(before);
});

test('a call in doubt is settled with its result, and is not sent again before the time', async () => {
  const office = openOffice();
  const { runId, path, body } = await waiting(office, 'pager');
  expect(body.interrupts).toMatchObject([
    { reason: 'in_doubt', tool: 'page', decisions: ['happened', 'retry', 'skip', 'fail'] },
  ]);
  const { retryAfter } = body.interrupts[0] ?? {};
  expect(await office.post(path, { decision: 'retry' })).toMatchObject({
    status: 409,
    body: { code: 'too_early', retryAfter },
  });
  expect(await office.post(path, { decision: 'happened' })).toMatchObject({
    status: 422,
    body: { code: 'value_required' },
  });
  const made = await office.post(path, { decision: 'happened', value: null });
  expect(made).toMatchObject({ status: 200, body: { decision: 'happened', by: 'local' } });
  await office.drive();
  expect((await office.get(`/runs/${runId}`)).body).toMatchObject({ status: 'completed' });
});

test('a name in the body counts only where the body is trusted', async () => {
  const office = openOffice({ identify: () => ({ tenant: 'local', by: 'ann' }), trustBody: false });
  const { path } = await waiting(office, 'payer');
  const made = await office.post(path, { decision: 'approve', by: 'bob' });
  expect(made.body).toMatchObject({ by: 'ann' });
});

test('what waits for people is listed, oldest first, and narrowed by reason and agent', async () => {
  const office = openOffice();
  const payer = await office.run('payer');
  const pager = await office.run('pager');
  const { body } = await office.get('/interrupts');
  expect(body.interrupts).toMatchObject([
    { runId: payer, agent: 'payer', reason: 'awaiting_approval', summary: 'Pay 3' },
    { runId: pager, agent: 'pager', reason: 'in_doubt' },
  ]);
  expect((await office.get('/interrupts?reason=in_doubt')).body.interrupts).toHaveLength(1);
  expect((await office.get('/interrupts?agent=payer')).body.interrupts).toHaveLength(1);
});

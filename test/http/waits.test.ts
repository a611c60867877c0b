import { expect, test } from 'vitest';
import { openOffice } from './office.ts';

test('a question is shown with the schema of its answer, and an answer that misfits is told why', async () => {
  const office = openOffice();
  const runId = await office.run('asker');
  const [interrupt] = (await office.get(`/runs/${runId}`)).body.interrupts;
  expect(interrupt).toMatchObject({
    reason: 'awaiting_input',
    question: 'Shall I?',
    schema: { type: 'boolean' },
    decisions: ['answer'],
  });
  const path = `/runs/${runId}/interrupts/${interrupt?.interruptId}/decision`;
  const written = office.writes.length;
  const wrong = await office.post(path, { decision: 'answer', value: 'yes' });
  expect(wrong).toMatchObject({ status: 422, body: { code: 'wrong_answer' } });
  expect(wrong.body.detail).toContain('expected boolean, received string');
  expect(await office.post(path, { decision: 'answer' })).toMatchObject({
    status: 422,
    body: { code: 'value_required' },
  });
  expect(office.writes).toHaveLength(written);
  const answer = { decision: 'answer', value: false, by: 'ann' };
  expect(await office.post(path, answer)).toMatchObject({ status: 200, body: answer });
  expect(await office.post(path, answer)).toMatchObject({ status: 200, body: answer });
  const other = { ...answer, value: true };
  expect(await office.post(path, other)).toMatchObject({ status: 409, body: { code: 'already_decided' } });
  await office.drive();
  expect(await office.post(path, answer)).toMatchObject({ status: 200, body: answer });
  expect(await office.post(path, other)).toMatchObject({ status: 409, body: { code: 'already_decided' } });
  expect((await office.get(`/runs/${runId}`)).body).toMatchObject({ status: 'completed' });
});

test('a wait that something else ends takes no decision', async () => {
  const office = openOffice();
  const runId = await office.run('sleeper');
  const [interrupt] = (await office.get(`/runs/${runId}`)).body.interrupts;
  expect(interrupt).toMatchObject({ reason: 'timer', expiresAt: expect.any(String), decisions: [] });
  const path = `/runs/${runId}/interrupts/${interrupt?.interruptId}/decision`;
  expect(await office.post(path, { decision: 'skip' })).toMatchObject({
    status: 422,
    body: { code: 'wrong_decision', expected: [] },
  });
  await office.drive(8 * 86_400_000);
  expect((await office.get(`/runs/${runId}`)).body).toMatchObject({ status: 'completed' });
});

test('a parent names the child that it waits for, and the child its parent', async () => {
  const office = openOffice();
  const runId = await office.run('boss');
  const [interrupt] = (await office.get(`/runs/${runId}`)).body.interrupts;
  expect(interrupt).toMatchObject({ reason: 'awaiting_child', tool: 'asker', child: { agent: 'asker' } });
  const child = (await office.get(`/runs/${interrupt?.child?.runId}`)).body;
  expect(child).toMatchObject({ agent: 'asker', input: 'ask', parent: { runId }, status: 'paused' });
});

test('what ends by itself is listed among the interrupts only where it is asked for', async () => {
  const office = openOffice();
  const boss = await office.run('boss');
  const sleeper = await office.run('sleeper');
  const waiter = await office.run('waiter');
  const { interrupts } = (await office.get('/interrupts')).body;
  expect(interrupts.map(({ reason, summary }) => [reason, summary])).toEqual([
    ['awaiting_input', 'Shall I?'],
    ['awaiting_signal', 'paid'],
  ]);
  expect((await office.get('/interrupts?reason=timer')).body.interrupts).toMatchObject([{ runId: sleeper }]);
  expect((await office.get('/interrupts?reason=awaiting_child')).body.interrupts).toMatchObject([
    { runId: boss },
  ]);
  expect((await office.get('/interrupts?reason=awaiting_signal')).body.interrupts).toMatchObject([
    { runId: waiter },
  ]);
});

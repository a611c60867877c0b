import { expect, test } from 'vitest';
import { type Office, openOffice } from './office.ts';

const typesOf = async (office: Office, runId: string) =>
  (await office.get(`/runs/${runId}/events`)).body.events.map(({ type }) => type);

async function eventOf(office: Office, runId: string, type: string) {
  const { events } = (await office.get(`/runs/${runId}/events`)).body;
  return events.filter((event) => event.type === type);
}

test('a message ends the wait of a conversation, and counts once under its id', async () => {
  const office = openOffice();
  const runId = await office.run('talker');
  expect((await office.get(`/runs/${runId}`)).body).toMatchObject({
    status: 'paused',
    interrupts: [{ reason: 'awaiting_message', decisions: [] }],
  });
  const body = { text: 'go on', messageId: 'm-1', final: true };
  const taken = { status: 202, body: { runId, messageId: 'm-1' } };
  expect(await office.post(`/runs/${runId}/messages`, body)).toMatchObject(taken);
  expect(await office.post(`/runs/${runId}/messages`, body)).toMatchObject(taken);
  await office.drive();
  expect(await eventOf(office, runId, 'message_received')).toMatchObject([
    { messageId: 'm-1', content: 'go on', final: true },
  ]);
  expect((await office.get(`/runs/${runId}`)).body).toMatchObject({ status: 'completed', output: 'bye' });
});

test('a message may be content parts, and is given an id where it has none', async () => {
  const office = openOffice();
  const runId = await office.run('talker');
  const content = [{ type: 'text', text: 'and this' }];
  const { status, body } = await office.post(`/runs/${runId}/messages`, { content });
  expect(status).toBe(202);
  await office.drive();
  expect(await eventOf(office, runId, 'message_received')).toMatchObject([
    { messageId: body.messageId, content },
  ]);
});

test('a signal ends the wait for its name, and counts once under its id', async () => {
  const office = openOffice();
  const runId = await office.run('waiter');
  expect((await office.get(`/runs/${runId}`)).body.interrupts).toMatchObject([
    { reason: 'awaiting_signal', name: 'paid', decisions: [] },
  ]);
  const path = `/runs/${runId}/signals`;
  expect((await office.post(path, { name: 'other', signalId: 's-0' })).status).toBe(202);
  const body = { name: 'paid', payload: { amount: 3 }, signalId: 's-1' };
  for (let i = 0; i < 2; i++) {
    expect(await office.post(path, body)).toMatchObject({ status: 202, body: { runId, signalId: 's-1' } });
  }
  await office.drive();
  expect(await eventOf(office, runId, 'signal_received')).toMatchObject([
    { name: 'other', payload: null },
    { name: 'paid', payload: { amount: 3 } },
  ]);
  expect(await eventOf(office, runId, 'tool_returned')).toMatchObject([
    { result: { payload: { amount: 3 } } },
  ]);
});

test('twenty senders of one signal at once are one event', async () => {
  const office = openOffice();
  const runId = await office.run('waiter');
  const body = { name: 'paid', signalId: 's' };
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => office.post(`/runs/${runId}/signals`, body)),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
  await office.drive();
  expect(await eventOf(office, runId, 'signal_received')).toHaveLength(1);
});

test('a cancel is under way until the run has ended, and asking again is the same answer', async () => {
  const office = openOffice();
  const runId = await office.run('payer');
  const before = (await office.get(`/runs/${runId}`)).body;
  const asked = await office.post(`/runs/${runId}/cancel`, { by: 'ann', reason: 'too dear' });
  expect(asked).toMatchObject({ status: 202, body: { runId, cancelRequested: true } });
  await office.drive();
  const view = (await office.get(`/runs/${runId}`)).body;
  expect(view).toMatchObject({
    status: 'cancelled',
    unresolved: [],
    interrupts: [],
    cancel: { by: 'ann', reason: 'too dear', at: expect.any(String) },
  });
  expect(view).not.toHaveProperty('cancelRequested');
  const { writes } = office;
  const written = writes.length;
  expect((await office.post(`/runs/${runId}/cancel`, { by: 'bob' })).status).toBe(202);
  expect(writes).toHaveLength(written);
  expect((await office.get('/runs?status=cancelled')).body.runs).toMatchObject([{ runId }]);
  const late = await office.post(`/runs/${runId}/interrupts/${before.interrupts[0]?.interruptId}/decision`, {
    decision: 'approve',
  });
  expect(late).toMatchObject({ status: 409, body: { code: 'run_ended', ended: 'cancelled' } });
});

test('a decision while a cancel is carried out is refused with who cancelled', async () => {
  const office = openOffice();
  const runId = await office.run('pager');
  const { interrupts } = (await office.get(`/runs/${runId}`)).body;
  // The cancel is in the log, and its worker has gone no further.
  const { head } = await cancelInLog(office, runId);
  expect((await office.get(`/runs/${runId}`)).body).toMatchObject({
    seq: head,
    status: 'running',
    cancelRequested: true,
    cancel: { by: 'ann' },
  });
  const path = `/runs/${runId}/interrupts/${interrupts[0]?.interruptId}/decision`;
  const late = await office.post(path, { decision: 'skip' });
  expect(late).toMatchObject({ status: 409, body: { code: 'run_cancelling', by: 'ann' } });
});

async function cancelInLog({ world }: Office, runId: string): Promise<{ head: number }> {
  const run = { tenant: 'local', runId };
  const commits = await world.log.read(run, { after: -1, limit: 100 });
  const last = commits.at(-1)?.events.at(-1) as { seq: number; step: number; at: string };
  const head = last.seq + 1;
  const event = {
    v: 1,
    seq: head,
    step: last.step,
    at: last.at,
    type: 'cancel_requested',
    by: 'ann',
    entry: 1,
  };
  await world.log.append(run, { seq: head, events: [event], owner: 'o', messageId: 'm', hash: 'h' });
  return { head };
}

test('a cancel needs no body, and its name counts only where the body is trusted', async () => {
  const office = openOffice({ identify: () => ({ tenant: 'local', by: 'ann' }), trustBody: false });
  const bare = await office.run('waiter');
  const named = await office.run('waiter');
  expect((await office.request(`/runs/${bare}/cancel`, { method: 'POST' })).status).toBe(202);
  expect((await office.post(`/runs/${named}/cancel`, { by: 'bob' })).status).toBe(202);
  await office.drive();
  for (const runId of [bare, named]) {
    expect((await office.get(`/runs/${runId}`)).body).toMatchObject({
      status: 'cancelled',
      cancel: { by: 'ann' },
    });
  }
});

test('a cancel goes down to the child run', async () => {
  const office = openOffice();
  const runId = await office.run('boss');
  const child = (await office.get(`/runs/${runId}`)).body.interrupts[0]?.child?.runId ?? '';
  await office.post(`/runs/${runId}/cancel`, {});
  await office.drive();
  for (const id of [runId, child]) {
    expect((await office.get(`/runs/${id}`)).body).toMatchObject({ status: 'cancelled' });
  }
});

test('what is sent to a run that has ended is refused with its end, but for what it has already taken', async () => {
  const office = openOffice();
  const runId = await office.run('talker');
  const last = { text: 'bye', messageId: 'm-1', final: true };
  await office.post(`/runs/${runId}/messages`, last);
  await office.drive();
  const { endedAt } = (await office.get(`/runs/${runId}`)).body;
  const { writes } = office;
  const written = writes.length;
  const refused = { status: 409, body: { code: 'run_ended', ended: 'completed', at: endedAt } };
  expect(await office.post(`/runs/${runId}/messages`, { text: 'late', messageId: 'm-2' })).toMatchObject(
    refused,
  );
  expect(await office.post(`/runs/${runId}/signals`, { name: 'late' })).toMatchObject(refused);
  expect(await office.post(`/runs/${runId}/cancel`, {})).toMatchObject(refused);
  expect(await office.post(`/runs/${runId}/resume`, { mode: 'verbatim' })).toMatchObject(refused);
  // A sender whose 202 was lost sends again.
  expect(await office.post(`/runs/${runId}/messages`, last)).toMatchObject({ status: 202 });
  expect(writes).toHaveLength(written);
});

test('a run that has not begun takes messages and cancels', async () => {
  const office = openOffice();
  const { runId } = (await office.post('/runs', { agent: 'echo', input: 'go' })).body;
  expect((await office.post(`/runs/${runId}/messages`, { text: 'more' })).status).toBe(202);
  expect((await office.post(`/runs/${runId}/cancel`, {})).status).toBe(202);
  await office.drive();
  expect(await typesOf(office, runId)).toEqual([
    'run_started',
    'message_received',
    'cancel_requested',
    'run_cancelled',
  ]);
});

import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openOffice } from './office.ts';

test('waiting for a run ends when it pauses', async () => {
  const office = openOffice();
  const { runId } = (await office.post('/runs', { agent: 'payer', input: 'go' })).body;
  const waiting = office.get(`/runs/${runId}?wait=20`);
  await sleep(50);
  await office.drive();
  expect((await waiting).body).toMatchObject({ status: 'paused' });
});

test('waiting for a run that stays as it is ends at its time', async () => {
  const office = openOffice();
  const { runId } = (await office.post('/runs', { agent: 'echo', input: 'go' })).body;
  const began = performance.now();
  expect((await office.get(`/runs/${runId}?wait=0.3`)).body).toMatchObject({ status: 'queued' });
  expect(performance.now() - began).toBeGreaterThan(290);
});

test('waiting for events ends when there are more', async () => {
  const office = openOffice();
  const runId = await office.run('payer');
  const { seq, interrupts } = (await office.get(`/runs/${runId}`)).body;
  const waiting = office.get(`/runs/${runId}/events?after=${seq}&wait=20`);
  await office.post(`/runs/${runId}/interrupts/${interrupts[0]?.interruptId}/decision`, { decision: 'deny' });
  await office.drive();
  expect((await waiting).body.events[0]).toMatchObject({ type: 'resumed', seq: seq + 1 });
});

test('nobody waits for events after the end of a run', async () => {
  const office = openOffice();
  const runId = await office.run('echo');
  const { seq } = (await office.get(`/runs/${runId}`)).body;
  const began = performance.now();
  expect((await office.get(`/runs/${runId}/events?after=${seq}&wait=20`)).body.events).toEqual([]);
  expect(performance.now() - began).toBeLessThan(1_000);
});

test('a client that goes away is not waited for', async () => {
  const office = openOffice();
  const { runId } = (await office.post('/runs', { agent: 'echo', input: 'go' })).body;
  let reads = 0;
  const { read } = office.world.log;
  office.world.log.read = (...args) => {
    reads += 1;
    return read(...args);
  };
  const client = new AbortController();
  const waiting = office.request(`/runs/${runId}?wait=20`, { signal: client.signal });
  await sleep(150);
  client.abort();
  await waiting;
  const until = reads;
  expect(until).toBeGreaterThan(0);
  await sleep(300);
  expect(reads).toBe(until);
});

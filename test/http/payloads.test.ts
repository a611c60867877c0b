import { expect, test } from 'vitest';
import { sha256 } from '../../lib/core/hash.ts';
import { type Office, openOffice } from './office.ts';

test('a payload stands in the answer up to 256 KB, and is answered as its reference beyond', async () => {
  const office = openOffice();
  const runId = await office.run('reader', 'y'.repeat(100_000));
  const { body } = await office.get(`/runs/${runId}`);
  expect(body.input).toBe('y'.repeat(100_000));
  const { events } = (await office.get(`/runs/${runId}/events`)).body;
  const [small, large] = events.filter((event) => event.type === 'tool_returned');
  expect(small).toMatchObject({ result: 'x'.repeat(20_000) });
  expect(small).not.toHaveProperty('resultRef');
  expect(large).toMatchObject({ resultRef: { bytes: 300_002 } });
  expect(large).not.toHaveProperty('result');
});

test('a reference is fetched by its hash, byte for byte', async () => {
  const office = openOffice();
  const runId = await office.run('reader');
  const { events } = (await office.get(`/runs/${runId}/events`)).body;
  const ref = events.flatMap((event) => (event.type === 'tool_returned' ? (event.resultRef ?? []) : []))[0];
  const response = await office.request(`/runs/${runId}/blobs/${ref?.sha256}`);
  const bytes = new Uint8Array(await response.arrayBuffer());
  expect(sha256(bytes)).toBe(ref?.sha256);
  expect(JSON.parse(new TextDecoder().decode(bytes))).toBe('x'.repeat(300_000));
  expect(await office.get(`/runs/${runId}/blobs/${'0'.repeat(64)}`)).toMatchObject({
    status: 404,
    body: { code: 'unknown_blob' },
  });
});

test('a page of large payloads is cut, and goes on after its last event', async () => {
  const office = openOffice();
  const runId = await office.run('hoarder');
  const pages: number[][] = [];
  for (let after = -1; ; after = pages.at(-1)?.at(-1) ?? after) {
    const { events } = (await office.get(`/runs/${runId}/events?after=${after}&limit=500`)).body;
    if (events.length === 0) break;
    expect(JSON.stringify(events).length).toBeLessThan(2_300_000);
    pages.push(events.map((event) => event.seq));
  }
  expect(pages).toHaveLength(2);
  const { seq } = (await office.get(`/runs/${runId}`)).body;
  expect(pages.flat()).toEqual(Array.from({ length: seq + 1 }, (_, index) => index));
});

test('values that JSON can hardly carry come back identical', async () => {
  const office = openOffice();
  const input = { '': 'a\u0000b', lone: '\ud800', big: '9007199254740993', deep: [[[[{}]]]] };
  const runId = await office.run('echo', input);
  expect((await office.get(`/runs/${runId}`)).body.input).toEqual(input);
});

test.each([
  ['missing', undefined],
  ['altered', new Uint8Array([0x31])],
])('a payload that is %s is answered as its reference, and nothing else is lost', async (_, bytes) => {
  const office = openOffice();
  const runId = await office.run('echo', 'y'.repeat(20_000));
  const { get } = office.world.blobs;
  const { inputRef } = (await firstCommit(office, runId)) as { inputRef: { sha256: string } };
  office.world.blobs.get = async (run, sha256) => (sha256 === inputRef.sha256 ? bytes : get(run, sha256));
  const { body } = await office.get(`/runs/${runId}`);
  expect(body).toMatchObject({ status: 'completed', inputRef });
  const { events } = (await office.get(`/runs/${runId}/events`)).body;
  expect(events[0]).toMatchObject({ type: 'run_started', inputRef });
  expect(events.at(-1)).toMatchObject({ type: 'run_completed' });
  const answer = await office.get(`/runs/${runId}/blobs/${inputRef.sha256}`);
  if (bytes)
    expect(answer).toMatchObject({
      status: 500,
      body: { code: 'payload_altered', title: 'Payload altered' },
    });
});

test('an event that this code does not know has a title of its own', async () => {
  const office = openOffice();
  const runId = await office.run('echo');
  const { read } = office.world.log;
  office.world.log.read = async (run, range) =>
    (await read(run, range)).map((commit) => ({
      ...commit,
      events: [{ seq: commit.seq, type: 'novel', v: 9 }],
    }));
  expect(await office.get(`/runs/${runId}/events`)).toMatchObject({
    status: 500,
    body: { code: 'unknown_event', title: 'Event not known' },
  });
});

async function firstCommit(office: Office, runId: string): Promise<unknown> {
  const [commit] = await office.world.log.read({ tenant: 'local', runId }, { after: -1, limit: 1 });
  return commit?.events[0];
}

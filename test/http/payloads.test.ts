import { expect, test } from 'vitest';
import { sha256 } from '../../lib/core/hash.ts';
import { openOffice } from './office.ts';

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

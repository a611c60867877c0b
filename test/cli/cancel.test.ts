import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { apiClient } from '../../lib/cli/api-client.ts';
import { awaitCancel } from '../../lib/cli/await-cancel.ts';
import type { Event } from '../../lib/core/events.ts';
import { listen } from '../../lib/http/node-server.ts';
import type { RunView } from '../../lib/runtime/run-view.ts';
import { openOffice } from '../http/office.ts';
import {
  freshDirectory,
  launch,
  type ServerProcess,
  speaker,
  startRun,
  startServer,
  stepfold,
} from './stepfold.ts';

let server: ServerProcess;
beforeAll(async () => {
  server = await startServer(join(freshDirectory(), 'data'));
});
afterAll(async () => {
  await server.end();
});

const { say, sayJson, words } = speaker(() => server);

/** Starts a run whose tool is at work until it is released. */
async function startHeld(): Promise<{ runId: string; release: () => void }> {
  const until = join(freshDirectory(), 'released');
  const runId = await startRun(server.url, 'holder', until);
  for (;;) {
    const { events } = await read<{ events: Event[] }>(`/runs/${runId}/events`);
    if (events.some(({ type }) => type === 'tool_call_requested')) break;
    await sleep(20);
  }
  return { runId, release: () => writeFileSync(until, '') };
}

async function read<T>(path: string): Promise<T> {
  return (await (await fetch(`${server.url}${path}`)).json()) as T;
}

/** Until the cancel is in the log. */
async function asked(runId: string): Promise<void> {
  while (!(await read<RunView>(`/runs/${runId}`)).cancelRequested) await sleep(20);
}

test('a cancel waits for what is in flight, says so, and tells who cancelled and why', async () => {
  const { runId, release } = await startHeld();
  const child = launch(['cancel', runId, '--reason', 'no need', '--by', 'ann'], { url: server.url });
  const said = text(child.stdout!);
  await asked(runId);
  const shown = await words(['show', runId]);
  expect(shown).toMatch(/status {6}running, cancelling\ncancel {6}by ann, \d+ s ago: no need\n/);
  expect(child.exitCode).toBeNull();
  release();
  expect(await said).toMatch(
    new RegExp(
      `^cancelling ${runId}\nrun {9}${runId}\nstatus {6}cancelled\ncancel {6}by ann, \\d+ s ago: no need\nstarted .*\nended .*\n$`,
    ),
  );
  await once(child, 'close');
  expect(child.exitCode).toBe(0);
  const timeline = await words(['events', runId]);
  expect(timeline).toMatch(
    /cancel requested by ann: no need\n[\s\S]*hold returned: held\n[\s\S]*cancelled by ann\n$/,
  );
  expect(await sayJson(['cancel', runId])).toMatchObject({ status: 'cancelled', cancel: { by: 'ann' } });
});

test('a cancel that is not waited for says where to look', async () => {
  const { runId, release } = await startHeld();
  expect(await words(['cancel', runId, '--no-wait', '--by', 'ann'])).toBe(
    `cancelling ${runId}\nSee how it ends: stepfold show ${runId}\n`,
  );
  expect(await sayJson(['cancel', runId, '--no-wait'])).toEqual({ runId, cancelRequested: true });
  release();
});

test('a call whose outcome nobody knows is named by its tool', async () => {
  const runId = await startRun(server.url, 'pager');
  expect(await words(['cancel', runId])).toContain(
    'unresolved  page (1.0): nobody knows whether it happened\n',
  );
  expect(await words(['show', runId])).toContain(
    'unresolved  page (1.0): nobody knows whether it happened\n',
  );
  expect(await words(['events', runId])).toMatch(
    /cancelled by \S+; nobody knows whether it happened: page \(1\.0\)\n$/,
  );
});

test('a run that has ended is not cancelled', async () => {
  const runId = await startRun(server.url, 'echo');
  const { code, stdout, stderr } = await say(['cancel', runId]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain(`run ${runId} is completed since`);
});

test('on a terminal a line shows that it is cancelling, until it is so', async () => {
  const { runId, release } = await startHeld();
  const drawn: string[] = [];
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((line) => drawn.push(String(line)) > 0);
  const terminal = Object.getOwnPropertyDescriptor(process.stderr, 'isTTY');
  Object.defineProperty(process.stderr, 'isTTY', { value: true, configurable: true });
  try {
    const api = apiClient({ url: server.url });
    await api.post(`/runs/${runId}/cancel`, {});
    const waiting = awaitCancel(api, runId);
    await vi.waitUntil(() => drawn.join('').includes(`cancelling ${runId}, 1 s`), { timeout: 20_000 });
    release();
    expect(await waiting).toMatchObject({ status: 'cancelled' });
  } finally {
    write.mockRestore();
    if (terminal) Object.defineProperty(process.stderr, 'isTTY', terminal);
    else delete (process.stderr as { isTTY?: boolean }).isTTY;
  }
  expect(drawn.at(-1)).toBe('\r\u001B[2K');
});

/** The API over a world in memory whose workers do only what the test says. */
async function still() {
  const office = openOffice();
  const { url, close } = await listen({ port: 0, fetch: office.fetch });
  return { office, url, close };
}

test('a cancel that no worker has taken up yet is waited for', async () => {
  const { office, url, close } = await still();
  const runId = await office.run('waiter');
  const child = launch(['cancel', runId], { url });
  const said = text(child.stdout!);
  await vi.waitUntil(async () => (await office.world.inbox.read({ tenant: 'local', runId }, 1)).length > 0, {
    timeout: 20_000,
  });
  await sleep(500);
  expect(child.exitCode).toBeNull();
  await office.drive();
  expect(await said).toContain('status      cancelled\n');
  await close();
});

test('a cancel of a run that cannot go on is given up, and says so', async () => {
  const { office, url, close } = await still();
  const runId = await office.run('waiter');
  const { seq } = (await office.get(`/runs/${runId}`)).body;
  const mark = { code: 'crashed', cause: 'boom', count: 10, at: '2026-01-01T00:00:00.000Z', tries: 0 };
  await office.world.index.stall({ tenant: 'local', runId }, seq, mark);
  const { code, stdout } = await stepfold(['cancel', runId], { url });
  expect({ code, stdout }).toEqual({
    code: 1,
    stdout: `cancelling ${runId}\nstalled: it cannot be cancelled while it cannot go on; see \`stepfold show ${runId}\`\n`,
  });
  await close();
});

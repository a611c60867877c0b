import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFileNotifier } from '../../lib/local/file-notifier.ts';
import type { Notice } from '../../lib/ports/notifier.ts';
import { testDirectory } from './directory.ts';

const INTERRUPTED: Notice = {
  id: 'run-1:int-1',
  type: 'interrupted',
  tenant: 'tenant',
  runId: 'run-1',
  agent: 'research',
  at: '2026-01-01T00:00:00.000Z',
  interruptId: 'int-1',
  reason: 'awaiting_approval',
  tool: 'create_ticket',
  summary: 'Printer is\non \u001b[31mfire\u202e',
};
const ENDED: Notice = {
  id: 'run-1:end',
  type: 'ended',
  tenant: 'tenant',
  runId: 'run-1',
  agent: 'research',
  at: '2026-01-01T00:00:01.000Z',
  status: 'completed',
};

test('a notice is one JSON line in the file and one line for the terminal, each id once', async () => {
  const path = join(await testDirectory(), 'notifications.jsonl');
  const said: string[] = [];
  const notifier = openFileNotifier(path, (line) => said.push(line));
  for (const notice of [INTERRUPTED, ENDED, INTERRUPTED]) await notifier.tell(notice);
  notifier.close();
  expect(await linesOf(path)).toEqual([INTERRUPTED, ENDED].map((notice) => JSON.stringify(notice)));
  expect(said).toEqual([
    'run-1 (research) waits, awaiting_approval for create_ticket: Printer is on \\u{1b}[31mfire\\u{202e} [interrupt int-1]',
    'run-1 (research) has ended: completed',
  ]);
});

test('a notice that an earlier process wrote is not written again', async () => {
  const path = join(await testDirectory(), 'notifications.jsonl');
  const first = openFileNotifier(path, () => {});
  await first.tell(INTERRUPTED);
  first.close();
  const said: string[] = [];
  const second = openFileNotifier(path, (line) => said.push(line));
  await second.tell(INTERRUPTED);
  await second.tell(ENDED);
  second.close();
  expect(await linesOf(path)).toHaveLength(2);
  expect(said).toHaveLength(1);
});

test('a line that a crash cut short does not spoil the next, and its notice is told again', async () => {
  const path = join(await testDirectory(), 'notifications.jsonl');
  await appendFile(path, `${JSON.stringify(ENDED)}\n${JSON.stringify(INTERRUPTED).slice(0, 70)}`);
  const notifier = openFileNotifier(path, () => {});
  await notifier.tell(INTERRUPTED);
  await notifier.tell(ENDED);
  notifier.close();
  const lines = await linesOf(path);
  expect(lines).toHaveLength(3);
  expect(JSON.parse(lines[2]!)).toEqual(INTERRUPTED);
});

test('a file that cannot be written answers as unavailable, and the notice is not taken as told', async () => {
  const path = join(await testDirectory(), 'notifications.jsonl');
  const notifier = openFileNotifier(path, () => {});
  notifier.close();
  await expect(notifier.tell(ENDED)).rejects.toMatchObject({ code: 'unavailable' });
  await expect(notifier.tell(ENDED)).rejects.toMatchObject({ code: 'unavailable' });
});

async function linesOf(path: string): Promise<string[]> {
  return (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '');
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, expect, test, vi } from 'vitest';
import { ensureDesk } from '../../functions/agents/research/desk/ensure-desk.ts';
import { deskFile } from './desk-process.ts';
import { freeUrl } from './free-url.ts';

const pids: number[] = [];

afterEach(() => {
  for (const pid of pids.splice(0)) if (pid > 0 && isAlive(pid)) process.kill(pid, 'SIGKILL');
});

test('a desk is started where none answers, found where one lives, and stopped by whoever started it', async () => {
  const [url, directory] = [await freeUrl(), dirname(deskFile())];
  const first = await ensureDesk(url, join(directory, 'made'));
  pids.push(first.pid);
  expect(first).toMatchObject({ url, started: true, data: join(directory, 'made/desk.db') });
  expect(statSync(join(directory, 'made')).mode & 0o777).toBe(0o700);

  const second = await ensureDesk(url, join(directory, 'made'));
  expect(second).toMatchObject({ started: false, pid: first.pid, data: first.data });
  second.stop();
  expect(await ensureDesk(url, join(directory, 'made'))).toMatchObject({ started: false, pid: first.pid });

  first.stop();
  await vi.waitFor(() => expect(isAlive(first.pid)).toBe(false), 20_000);
});

test('a desk outlives kill -9 of the process that started it, and is used again', async () => {
  const [url, directory] = [await freeUrl(), dirname(deskFile())];
  const module = new URL('../../functions/agents/research/desk/ensure-desk.ts', import.meta.url);
  const code = `const { ensureDesk } = await import(${JSON.stringify(module.href)});
    console.log((await ensureDesk(${JSON.stringify(url)}, ${JSON.stringify(directory)})).pid);
    setInterval(() => {}, 1000);`;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  pids.push(parent.pid ?? 0);
  const exited = once(parent, 'exit');
  const [line] = await Promise.race([once(createInterface(parent.stdout), 'line'), exited]);
  const pid = Number(line);
  pids.push(pid);

  parent.kill('SIGKILL');
  await exited;
  expect(await ensureDesk(url, directory)).toMatchObject({ started: false, pid });
});

test('a desk of another data directory is not taken, and the error says what to do', async () => {
  const [url, directory] = [await freeUrl(), dirname(deskFile())];
  const other = await ensureDesk(url, join(directory, 'other'));
  pids.push(other.pid);
  await expect(ensureDesk(url, join(directory, 'mine'))).rejects.toMatchObject({
    code: 'desk_of_another',
    message: expect.stringMatching(
      /process \d+, keeps .*other\/desk\.db\. Stop it, or set STEPFOLD_DESK_URL/,
    ),
  });
  expect(existsSync(join(directory, 'mine'))).toBe(false);
  expect(isAlive(other.pid)).toBe(true);
});

test('something else at the address is an error that says what to do', async () => {
  const server = createServer((_, answer) => answer.end('hello')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    await expect(ensureDesk(url, dirname(deskFile()))).rejects.toMatchObject({
      code: 'desk_unreachable',
      message: expect.stringMatching(/something else answers there; set STEPFOLD_DESK_URL/),
    });
  } finally {
    server.close();
  }
});

test('no desk is started for an address of another machine', async () => {
  const directory = join(dirname(deskFile()), 'none');
  const desk = ensureDesk('http://127.0.0.2:9', directory);
  await expect(desk).rejects.toMatchObject({ code: 'desk_unreachable' });
  expect(existsSync(directory)).toBe(false);
});

test('a desk that cannot start is an error in its own words', async () => {
  const directory = dirname(deskFile());
  mkdirSync(join(directory, 'desk.db'));
  const desk = ensureDesk(await freeUrl(), directory);
  await expect(desk).rejects.toMatchObject({
    code: 'desk_unreachable',
    message: expect.stringContaining('unable to open database file'),
  });
  expect(readFileSync(join(directory, 'desk.log'), 'utf8')).toContain('unable to open database file');
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

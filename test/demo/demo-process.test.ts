import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test, vi } from 'vitest';
import { serverLives } from '../../functions/agents/research/demo/server-lives.ts';

const MAIN = fileURLToPath(new URL('../../functions/agents/research/demo/main.ts', import.meta.url));
const directories: string[] = [];
const running: ChildProcess[] = [];

afterEach(async () => {
  for (const child of running.splice(0)) {
    // The demo ends what it has started; a plain kill of it would leave them behind.
    if (child.exitCode === null && child.signalCode === null && child.kill('SIGTERM'))
      await once(child, 'exit');
  }
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
});

test('Ctrl-C in the middle ends every process of the demo', async () => {
  const { child, directory } = start();
  await vi.waitFor(() => expect(livesIn(directory)).toHaveLength(2), WAIT);
  const pids = [await deskPid(directory), ...livesIn(directory).map(({ pid }) => pid)];

  child.kill('SIGINT');
  const [code] = await once(child, 'exit');
  expect(code).toBe(130);
  await vi.waitFor(() => expect(pids.filter(isAlive)).toEqual([]), WAIT);
});

test('a story that cannot be told as promised fails with the claim, and leaves no process behind', async () => {
  const { directory, ended } = start();
  await vi.waitFor(() => expect(livesIn(directory)).toHaveLength(1), WAIT);
  process.kill(await deskPid(directory), 'SIGKILL');

  const { code, stdout } = await ended;
  expect(code).toBe(1);
  expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toMatchObject({
    code: 'demo_failed',
    detail: expect.stringContaining('expected the desk to live; it ended by itself (SIGKILL)'),
  });
  await vi.waitFor(() => expect(livesIn(directory).filter(({ pid }) => isAlive(pid))).toEqual([]), WAIT);
});

test('a directory with files in it is refused and left as it is', async () => {
  const directory = freshDirectory();
  writeFileSync(join(directory, 'mine'), 'precious');
  const { code, stdout } = await start({ directory }).ended;
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({ code: 'data_in_use' });
  expect(readFileSync(join(directory, 'mine'), 'utf8')).toBe('precious');
});

test('--help explains, and an unknown flag is refused with the explanation', async () => {
  const help = await start({ flags: ['--help'] }).ended;
  expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining('--json') });
  const wrong = await start({ flags: ['--jsn'] }).ended;
  expect(wrong).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/--jsn.*--json/s) });
});

const WAIT = { timeout: 30_000, interval: 20 };

function freshDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'stepfold-demo-test-'));
  directories.push(directory);
  return directory;
}

function start(options: { directory?: string; flags?: string[] } = {}) {
  const { directory = freshDirectory() } = options;
  const { flags = ['--json', '--data', directory] } = options;
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', MAIN, ...flags]);
  running.push(child);
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]).then(
    ([stdout, stderr]) => ({ stdout, stderr, code: child.exitCode }),
  );
  return { child, directory, ended };
}

function livesIn(directory: string) {
  return serverLives(readIfThere(join(directory, 'server.log')));
}

async function deskPid(directory: string): Promise<number> {
  const url = /http:\/\/\S+/.exec(readIfThere(join(directory, 'desk.log')))?.[0];
  return ((await (await fetch(`${url}/health`)).json()) as { pid: number }).pid;
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

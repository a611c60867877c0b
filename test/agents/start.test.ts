import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test, vi } from 'vitest';
import { openDesk } from '../../functions/agents/research/desk/desk.ts';
import { deskFile } from './desk-process.ts';
import { freeUrl } from './free-url.ts';

const START = fileURLToPath(new URL('../../functions/agents/start.ts', import.meta.url));
const MAIN = fileURLToPath(new URL('../../lib/cli/main.ts', import.meta.url));
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const running: ChildProcess[] = [];
const desks: string[] = [];

afterEach(async () => {
  for (const child of running.splice(0)) await end(child, 'SIGKILL');
  for (const url of desks.splice(0)) {
    const pid = await deskPid(url);
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
  }
});

test('npm start serves the sample through a kill; the desk that outlived it is used again, and left alone', async () => {
  const data = dirname(deskFile());
  const record = join(data, 'model.jsonl');
  const deskUrl = await freeUrl();
  desks.push(deskUrl);
  const env = { STEPFOLD_DESK_URL: deskUrl, STEPFOLD_SCRIPT_DELAY: '30', STEPFOLD_MODEL_RECORD: record };

  const first = await start(data, env);
  const pid = await deskPid(deskUrl);
  expect(pid).toBeTypeOf('number');
  const { runId } = await call(first.url, '/runs', {
    agent: 'research',
    input: 'Why did checkout fail on Monday?',
  });
  await until(async () =>
    expect(await call(first.url, `/runs/${runId}`)).toMatchObject({ status: 'paused' }),
  );

  await end(first.child, 'SIGKILL');
  expect(await deskPid(deskUrl)).toBe(pid);
  const second = await start(data, env);
  expect(await deskPid(deskUrl)).toBe(pid);

  const { interrupts } = await call(second.url, `/runs/${runId}`);
  const path = `/runs/${runId}/interrupts/${interrupts?.[0]?.interruptId}/decision`;
  await call(second.url, path, { decision: 'approve', by: 'ines' });
  await until(async () =>
    expect(await call(second.url, `/runs/${runId}`)).toMatchObject({ status: 'completed' }),
  );
  expect(await call(second.url, `/runs/${runId}/verify`)).toMatchObject({ ok: true, violations: [] });

  expect(await end(second.child, 'SIGINT')).toBe(0);
  expect(await deskPid(deskUrl)).toBe(pid);
  expect(readFileSync(record, 'utf8').trim().split('\n')).toHaveLength(6);
  const desk = openDesk(join(data, 'desk.db'));
  expect(desk.record.all().map(({ route, did }) => `${route} ${did}`)).toEqual([
    'create_ticket applied',
    'post_comment applied',
    'page_oncall applied',
    'close_ticket applied',
  ]);
  desk.database.close();
});

test('the desk that was started ends with its server', async () => {
  const deskUrl = await freeUrl();
  desks.push(deskUrl);
  const { child } = await start(dirname(deskFile()), { STEPFOLD_DESK_URL: deskUrl });
  expect(await deskPid(deskUrl)).toBeTypeOf('number');
  expect(await end(child, 'SIGTERM')).toBe(0);
  await until(async () => expect(await deskPid(deskUrl)).toBeUndefined());
});

test('agents that cannot be served leave nothing behind', async () => {
  const data = join(dirname(deskFile()), 'data');
  const deskUrl = await freeUrl();
  desks.push(deskUrl);
  const { code, stderr } = await run([START, '--port', '0', '--data', data], {
    STEPFOLD_DESK_URL: deskUrl,
    STEPFOLD_MODEL: 'nonsense',
  });
  expect(code).toBe(1);
  expect(stderr).toContain('STEPFOLD_MODEL');
  expect(existsSync(data)).toBe(false);
  expect(await deskPid(deskUrl)).toBeUndefined();
});

test('the sample without its desk is served with a warning that says how to have both', async () => {
  const data = join(dirname(deskFile()), 'data');
  const deskUrl = await freeUrl();
  const child = spawn(process.execPath, [MAIN, 'dev', '--port', '0', '--data', data], {
    cwd: ROOT,
    env: { ...process.env, STEPFOLD_DESK_URL: deskUrl },
  });
  running.push(child);
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  await once(child.stdout, 'data');
  await until(async () => expect(said).toContain(`warning nobody answers at ${deskUrl}`));
  expect(said).toContain('`npm start` starts the desk together with the server.\n');
});

async function run(args: string[], env: Record<string, string>): Promise<{ code: unknown; stderr: string }> {
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...env },
  });
  running.push(child);
  const said = text(child.stderr);
  const [code] = await once(child, 'close');
  return { code, stderr: await said };
}

const until = (check: () => Promise<void>) => vi.waitFor(check, 20_000);

async function start(
  data: string,
  env: Record<string, string>,
): Promise<{ child: ChildProcess; url: string }> {
  const args = ['--disable-warning=ExperimentalWarning', START, '--port', '0', '--data', data, '--json'];
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, ...env },
  });
  running.push(child);
  const [line] = await Promise.race([once(createInterface(child.stdout), 'line'), once(child, 'exit')]);
  return { child, url: (JSON.parse(String(line)) as { url: string }).url };
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }
  return child.exitCode;
}

async function deskPid(url: string): Promise<number | undefined> {
  const answer = await fetch(`${url}/health`).catch(() => undefined);
  return answer && ((await answer.json()) as { pid: number }).pid;
}

interface Answer {
  runId?: string;
  interrupts?: { interruptId: string }[];
}

async function call(url: string, path: string, body?: object): Promise<Answer> {
  const post = {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  };
  return (await (await fetch(url + path, body && post)).json()) as Answer;
}

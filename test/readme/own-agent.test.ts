import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, test, vi } from 'vitest';
import type { Event } from '../../lib/core/events.ts';
import type { RunView } from '../../lib/runtime/run-view.ts';
import { codeBlocks, ROOT, readDocument } from './documents.ts';
import { type Served, serve } from './serve.ts';

const HEADING = 'An agent of your own';
const [printed, approval, realModel] = codeBlocks(readDocument('README.md'), HEADING, 'ts');
const servers: Served[] = [];
const directories: string[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.end('SIGKILL');
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true });
});

test("README's agent, killed while its tool is at work, goes on by itself and orders one cake", async () => {
  const { directory, file } = saved(printed);
  const first = await start(directory, file);
  const { runId } = await first.call<{ runId: string }>('/runs', {
    agent: 'baker',
    input: 'A cake, please.',
  });
  await until(() => expect(orders(directory)).toHaveLength(1));
  await first.end('SIGKILL');

  const second = await start(directory, file);
  await until(async () => {
    expect(await second.call<RunView>(`/runs/${runId}`)).toMatchObject({ status: 'completed' });
  });
  const { events } = await second.call<{ events: Event[] }>(`/runs/${runId}/events`);
  expect(types(events).filter((type) => type === 'run_completed')).toHaveLength(1);
  expect(types(events).filter((type) => type === 'model_call_requested')).toHaveLength(2);
  expect(types(events).filter((type) => type === 'tool_call_requested')).toHaveLength(1);
  expect(events.find((event) => event.type === 'tool_returned')).toMatchObject({ source: 'reconciled' });
  expect(orders(directory)).toEqual([`${runId}:2 lemon`]);
  expect(await second.call(`/runs/${runId}/verify`)).toMatchObject({ ok: true, violations: [] });
});

test("README's agent with its approval waits for a person, and orders the cake that was approved", async () => {
  const { directory, file } = saved(gated());
  const server = await start(directory, file);
  const { runId } = await server.call<{ runId: string }>('/runs', { agent: 'baker', input: 'A cake.' });
  const run = await server.call<RunView>(`/runs/${runId}?wait=20`);
  expect(run.interrupts).toMatchObject([{ reason: 'awaiting_approval', summary: 'Order a lemon cake' }]);
  await server.call(`/runs/${runId}/interrupts/${run.interrupts[0]?.interruptId}/decision`, {
    decision: 'approve',
  });
  await until(() => expect(orders(directory)).toHaveLength(1));
});

test("README's agent is correctly typed, with its approval and with a real model, too", async () => {
  const { directory } = saved(printed, 'scripted.ts');
  writeFileSync(join(directory, 'gated.ts'), gated());
  const real = (printed ?? '').replace(/^(import \{ scriptedModel|const script|const model).*\n/gm, '');
  writeFileSync(join(directory, 'real.ts'), `${realModel}\n${real}`);
  writeFileSync(
    join(directory, 'tsconfig.json'),
    JSON.stringify({ extends: join(ROOT, 'tsconfig.json'), include: ['*.ts'] }),
  );
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const { stdout } = await promisify(execFile)(process.execPath, [tsc, '-p', directory]).catch(
    (error) => error,
  );
  expect(stdout).toBe('');
});

/** The clone as its reader sees it: the file as it is printed, beside `lib` and `node_modules`. */
function saved(source: string | undefined, name = 'agents.ts'): { directory: string; file: string } {
  const directory = mkdtempSync(join(tmpdir(), 'stepfold-readme-'));
  directories.push(directory);
  for (const part of ['lib', 'node_modules', 'package.json'])
    symlinkSync(join(ROOT, part), join(directory, part));
  const file = join(directory, name);
  writeFileSync(file, source ?? `throw new Error('README has no code under "${HEADING}"')`);
  return { directory, file };
}

/** README's agent with the lines that it says to put above `run`. */
function gated(): string {
  return (printed ?? '').replace(/^ {2}run:/m, () => `${approval}  run:`);
}

async function start(directory: string, agents: string): Promise<Served> {
  const server = await serve({ cwd: directory, agents, data: join(directory, 'data') });
  servers.push(server);
  return server;
}

function orders(directory: string): string[] {
  return readFileSync(join(directory, 'orders.txt'), 'utf8').trimEnd().split('\n');
}

const types = (events: readonly Event[]) => events.map(({ type }) => type);
const until = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: 25_000, interval: 100 });

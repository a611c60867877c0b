import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test, vi } from 'vitest';
import { guardLoading } from '../../lib/cli/guard-loading.ts';
import type { RunView } from '../../lib/runtime/run-view.ts';
import { AGENTS, freshDirectory, launch, startRun, stepfold } from './stepfold.ts';

const MAIN = fileURLToPath(new URL('../../lib/cli/main.ts', import.meta.url));
const LIB = new URL('../../lib/index.ts', import.meta.url).href;
const TESTING = new URL('../../lib/testing/index.ts', import.meta.url).href;

const children: { kill(signal: NodeJS.Signals): boolean }[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** A server whose output is not read by anybody else. */
async function serveFile(file: string, more: string[] = []) {
  const data = join(freshDirectory(), 'data');
  const child = launch(['dev', '--agents', file, '--data', data, '--port', '0', '--json', ...more]);
  children.push(child);
  const [line] = await once(createInterface(child.stdout!), 'line');
  return { child, url: (JSON.parse(String(line)) as { url: string }).url };
}

async function statusOf(url: string, runId: string): Promise<string> {
  return ((await (await fetch(`${url}/runs/${runId}?wait=20`)).json()) as RunView).status;
}

test('a server whose readers are gone drops its lines and goes on', async () => {
  const { child, url } = await serveFile(AGENTS);
  child.stdout?.destroy();
  child.stderr?.destroy();
  await sleep(50);
  for (let i = 0; i < 2; i++) expect(await statusOf(url, await startRun(url, 'payer'))).toBe('paused');
  expect(child.exitCode).toBeNull();
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
});

test('a server whose log cannot be written goes on', async () => {
  const full = openSync('/dev/full', 'w');
  const flags = ['--agents', AGENTS, '--data', join(freshDirectory(), 'data'), '--port', '0', '--json'];
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', MAIN, 'dev', ...flags], {
    stdio: ['ignore', 'pipe', full],
  });
  children.push(child);
  closeSync(full);
  const [line] = await once(createInterface(child.stdout!), 'line');
  const { url } = JSON.parse(String(line)) as { url: string };
  for (let i = 0; i < 2; i++) expect(await statusOf(url, await startRun(url, 'payer'))).toBe('paused');
});

test('a command whose answer cannot be written says so in a sentence', async () => {
  const full = openSync('/dev/full', 'w');
  const child = spawn(process.execPath, [MAIN, '--help'], { stdio: ['ignore', full, 'pipe'] });
  closeSync(full);
  const said = text(child.stderr!);
  const [code] = await once(child, 'close');
  expect(code).toBe(1);
  expect(await said).toMatch(
    /^error expected stdout to take the answer; got: .*ENOSPC.* \(output_failed\)\n/,
  );
  expect(await said).not.toContain('    at ');
});

test("an agent's code that fails in the background is reported, and the server goes on", async () => {
  const file = join(freshDirectory(), 'agents.ts');
  writeFileSync(
    file,
    `import { EventEmitter } from 'node:events';
import { defineAgent } from '${LIB}';
import { scriptedModel } from '${TESTING}';
const fail = () => {
  setTimeout(() => { throw 5; }, 1);
  setTimeout(() => { throw Object.create(null); }, 1);
  setTimeout(() => { throw undefined; }, 1);
  setTimeout(() => new EventEmitter().emit('error', new Error('unheard')), 1);
  void Promise.reject(Object.create(null));
  void Promise.reject(new Proxy({}, { get() { throw 1; }, getPrototypeOf() { throw 2; } }));
  return 'done';
};
export default [defineAgent({ name: 'a', revision: '1', instructions: '', model: scriptedModel([fail]) })];
`,
  );
  const { child, url } = await serveFile(file);
  let said = '';
  child.stderr?.on('data', (chunk) => {
    said += chunk;
  });
  expect(await statusOf(url, await startRun(url, 'a'))).toBe('completed');
  await vi.waitFor(() => expect(said.match(/an error that nobody catches/g)).toHaveLength(4), 10_000);
  expect(said.match(/a rejection that nobody handles/g)).toHaveLength(2);
  expect(said).toContain('"error":"5"');
  expect(said).toContain('unheard');
  expect(await statusOf(url, await startRun(url, 'a'))).toBe('completed');
});

test('an agents file that takes for ever is given up', async () => {
  const loading = guardLoading('agents.ts', new Promise(() => {}), { withinMs: 50 });
  await expect(loading).rejects.toMatchObject({
    code: 'agents_file_hangs',
    message: expect.stringContaining('expected agents.ts to load, but it has not loaded after 0.05 s'),
  });
});

test('a step that is cut off at the stop is said in the words of whoever pressed Ctrl-C', async () => {
  const { child, url } = await serveFile(AGENTS);
  const runId = await startRun(url, 'holder', '/nowhere/at/all');
  await vi.waitFor(async () => {
    const { steps } = (await (await fetch(`${url}/runs/${runId}`)).json()) as RunView;
    expect(steps).toBe(2);
  }, 10_000);
  const said = text(child.stderr!);
  child.kill('SIGINT');
  await once(child, 'exit');
  expect(await said).toContain(
    '1 step was still at work after 10 s and is cut off; it is settled at the next start\n',
  );
  expect(await said).not.toContain('close');
}, 30_000);

test('a run whose agent is not served is told of in a sentence', async () => {
  const data = join(freshDirectory(), 'data');
  const first = await serveFile(AGENTS, ['--data', data]);
  const runId = await startRun(first.url, 'payer');
  first.child.kill('SIGTERM');
  await once(first.child, 'exit');
  const file = join(freshDirectory(), 'agents.ts');
  writeFileSync(
    file,
    `import { defineAgent } from '${LIB}';
import { scriptedModel } from '${TESTING}';
export default [defineAgent({ name: 'b', revision: '1', instructions: '', model: scriptedModel(['x']) })];
`,
  );
  const second = await serveFile(file, ['--data', data]);
  let said = '';
  second.child.stderr?.on('data', (chunk) => {
    said += chunk;
  });
  await vi.waitFor(() => expect(said).toContain('set aside'), 10_000);
  expect(said).toBe(
    `error ${runId} is set aside, because its agent "payer" is not served here; it goes on once that is served again. ` +
      `See \`stepfold show ${runId}\`.\n`,
  );
  const approved = await stepfold(['approve', runId, '--interrupt', 'i3', '--by', 'ann'], {
    url: second.url,
  });
  expect(approved).toMatchObject({ code: 0, stderr: '' });
  expect(approved.stdout).toMatch(
    /^approve by ann \(i3\)\nThe run is set aside and cannot go on: .*"payer" \(unknown_agent\); see `stepfold show/,
  );
});

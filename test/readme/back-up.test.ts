import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, test, vi } from 'vitest';
import type { RunView } from '../../lib/runtime/run-view.ts';
import { codeBlocks, ROOT, readDocument } from './documents.ts';
import { type Served, serve } from './serve.ts';

const [commands = ''] = codeBlocks(readDocument('docs/operations.md'), 'Back-up and restore', 'sh');
const directory = mkdtempSync(join(tmpdir(), 'stepfold-back-up-'));
let server: Served | undefined;

afterEach(async () => {
  await server?.end('SIGKILL');
  rmSync(directory, { recursive: true });
});

test('the printed commands copy a directory that is served, and the copy can be read without going on', async () => {
  for (const part of ['lib', 'node_modules', 'package.json'])
    symlinkSync(join(ROOT, part), join(directory, part));
  server = await served('.stepfold', 'sleeper');
  const { runId } = await server.call<{ runId: string }>('/runs', { agent: 'sleeper', input: 'Rest.' });
  await until(runId, 'paused');

  await promisify(execFile)('bash', ['-euc', commands], { cwd: directory });
  await server.end('SIGKILL');

  const [copy = ''] = readdirSync(join(directory, 'backup'));
  expect(readdirSync(join(directory, 'backup', copy)).sort()).toEqual(['blobs', 'stepfold.db']);
  server = await served(join('backup', copy), 'other');
  await until(runId, 'stalled');
  expect(await server.call<RunView>(`/runs/${runId}`)).toMatchObject({
    stalled: { code: 'unknown_agent' },
    interrupts: [{ reason: 'timer' }],
  });
  expect(await server.call(`/runs/${runId}/verify`)).toMatchObject({ ok: true });
});

function served(data: string, agent: string): Promise<Served> {
  const agents = join(directory, `${agent}.ts`);
  writeFileSync(
    agents,
    `import { defineAgent, sleepUntil } from './lib/index.ts';
import { scriptedModel } from './lib/testing/index.ts';
const model = scriptedModel([{ toolCalls: [{ name: 'sleepUntil', args: { for: '1d' } }] }, 'Awake.']);
export default [defineAgent({ name: '${agent}', revision: '1', model, instructions: '', tools: [sleepUntil] })];
`,
  );
  return serve({ cwd: directory, agents, data });
}

function until(runId: string, status: string): Promise<void> {
  return vi.waitFor(
    async () => expect(await server?.call<RunView>(`/runs/${runId}`)).toMatchObject({ status }),
    { timeout: 20_000, interval: 100 },
  );
}

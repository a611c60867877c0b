import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import type { Event } from '../../lib/core/events.ts';
import type { RunView } from '../../lib/runtime/run-view.ts';
import { AGENTS, freshDirectory, launch, type ServerProcess, startServer, stepfold } from './stepfold.ts';

const servers: ServerProcess[] = [];
async function start(...options: Parameters<typeof startServer>): Promise<ServerProcess> {
  const server = await startServer(...options);
  servers.push(server);
  return server;
}
afterEach(async () => {
  for (const server of servers.splice(0)) await server.end('SIGKILL');
});

/** Starts a run and waits until its tool is at work. */
async function startSlowRun(url: string): Promise<string> {
  const { stdout } = await stepfold(['start', 'slow', 'go', '--json'], { url });
  const { runId } = JSON.parse(stdout) as RunView;
  for (;;) {
    const { events } = (await (await fetch(`${url}/runs/${runId}/events`)).json()) as { events: Event[] };
    if (events.some(({ type }) => type === 'tool_call_requested')) return runId;
    await sleep(20);
  }
}

test('a run goes on after kill -9 and a restart, and whoever follows it sees its end', async () => {
  const data = join(freshDirectory(), 'data');
  const first = await start(data);
  const runId = await startSlowRun(first.url);
  const follower = launch(['events', runId, '--follow', '--json'], { url: first.url });
  const seen = text(follower.stdout!);
  await once(follower.stdout!, 'data');
  await first.end('SIGKILL');
  await sleep(700);
  const second = await start(data, { port: first.port });
  expect(second.unfinished).toBe(1);
  await once(follower, 'close');
  const types = (await seen)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).type);
  expect(types.at(-1)).toBe('run_completed');
  expect(types.filter((type) => type === 'tool_call_requested')).toHaveLength(2);
  expect(types.filter((type) => type === 'model_responded')).toHaveLength(2);
  expect((await stepfold(['verify', runId], { url: second.url })).code).toBe(0);
});

test('SIGTERM lets the steps in flight end', async () => {
  const data = join(freshDirectory(), 'data');
  const first = await start(data);
  const runId = await startSlowRun(first.url);
  expect(await first.end('SIGTERM')).toBe(0);
  const second = await start(data);
  const { stdout } = await stepfold(['events', runId, '--json'], { url: second.url });
  const events = (JSON.parse(stdout) as { events: { type: string }[] }).events;
  expect(events.filter(({ type }) => type === 'tool_call_requested')).toHaveLength(1);
});

test('the API answers while sixteen steps are in flight', async () => {
  const { url } = await start(join(freshDirectory(), 'data'));
  const body = JSON.stringify({ agent: 'slow', input: 'go' });
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
  await Promise.all(Array.from({ length: 20 }, () => fetch(`${url}/runs`, init)));
  const times: number[] = [];
  for (let i = 0; i < 20; i++) {
    const began = performance.now();
    expect((await fetch(`${url}/health`)).status).toBe(200);
    times.push(performance.now() - began);
    await sleep(50);
  }
  expect(Math.max(...times)).toBeLessThan(500);
});

test('it says what is running, the next command to type, and what an agent should declare', async () => {
  const directory = freshDirectory();
  const file = join(directory, 'agents.ts');
  const careless = tool('effect: undefined');
  writeFileSync(file, `${HEAD}export default [${agent('a', `tools: [${careless}]`)}];\n`);
  const child = launch(['dev', '--agents', file, '--data', join(directory, 'data'), '--port', '0']);
  const said = Promise.all([text(child.stdout!), text(child.stderr!)]);
  await once(child.stdout!, 'data');
  child.kill('SIGINT');
  await once(child, 'close');
  const [stdout, stderr] = await said;
  const [, url] = /^Stepfold is running at (http:\S+)\n {2}agents {2}a\n/.exec(stdout) ?? [];
  expect(stdout).toContain(`Next: stepfold start a "your question" --url ${url}\n`);
  expect(stderr).toContain("tool t declares no effect and counts as 'once'");
  expect(child.exitCode).toBe(0);
});

async function refusedToStart(
  args: string[],
  code: string,
  env: Record<string, string> = {},
): Promise<string> {
  const cwd = freshDirectory();
  const said = await stepfold(['dev', '--port', '0', '--data', 'data', ...args], { cwd, env });
  expect({ code: said.code, stdout: said.stdout }).toEqual({ code: 1, stdout: '' });
  expect(said.stderr).toContain(`(${code})`);
  expect(existsSync(join(cwd, 'data'))).toBe(false);
  return said.stderr;
}

test('a port in use is an error that names it, and nothing is written', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as { port: number };
  expect(await refusedToStart(['--agents', AGENTS, '--port', String(port)], 'port_in_use')).toContain(
    String(port),
  );
  other.close();
});

test('a data directory in use is an error that names it', async () => {
  const data = join(freshDirectory(), 'data');
  await start(data);
  const before = readdirSync(data);
  const said = await stepfold(['dev', '--agents', AGENTS, '--data', data, '--port', '0']);
  expect(said.code).toBe(1);
  expect(said.stderr).toMatch(/^error expected a data directory .* \(data_in_use\)\n$/);
  expect(said.stderr).toContain(data);
  expect(readdirSync(data)).toEqual(before);
});

test('an address that others can reach needs a token, which every caller must then show', async () => {
  const open = ['--agents', AGENTS, '--host', '0.0.0.0'];
  await refusedToStart(open, 'token_required');
  await refusedToStart(open, 'bad_token', { STEPFOLD_TOKEN: 'two words' });
  const env = { STEPFOLD_TOKEN: 'a-long-secret' };
  const { port } = await start(join(freshDirectory(), 'data'), { args: ['--host', '0.0.0.0'], env });
  const url = `http://127.0.0.1:${port}`;
  const without = await stepfold(['runs'], { url });
  expect(without).toMatchObject({ code: 1 });
  expect(without.stderr).toContain('STEPFOLD_TOKEN');
  expect((await stepfold(['runs'], { url, env })).code).toBe(0);
});

const LIB = new URL('../../lib/index.ts', import.meta.url).href;
const ZOD = import.meta.resolve('zod');
const HEAD = `import { agentTool, defineAgent, defineTool } from '${LIB}';\nimport * as z from '${ZOD}';\n`;
const MODEL = '{ specificationVersion: "v4", doGenerate() {}, modelId: "m" }';
const agent = (name: string, more = '') =>
  `defineAgent({ name: '${name}', revision: '1', instructions: '', model: ${MODEL}, ${more} })`;
const tool = (more = '') =>
  `defineTool({ name: 't', description: '', input: z.object({}), effect: 'read', run() {}, ${more} })`;

// The code, the file, and what the message must tell.
test.each([
  ['bad_agents_file', 'export const agents = [];', 'default export'],
  ['bad_agents_file', 'export default [{}];', 'defineAgent()'],
  ['bad_agents_file', 'throw new Error("boom", { cause: new Error("the fuse") });', 'the fuse'],
  ['bad_agents_file', 'import "./missing.ts";', 'missing.ts'],
  ['bad_agents_file', 'export default [', 'agents.ts'],
  ['bad_agents_file', 'throw Object.create(null);', 'it threw: a value without words (object)'],
  [
    'bad_agents_file',
    'throw new Proxy({}, { get() { throw 1 }, getPrototypeOf() { throw 2 } });',
    'it threw',
  ],
  ['bad_agents_file', 'export default new Proxy([], { get() { throw new Error("shut"); } });', 'shut'],
  ['bad_agents_file', 'process.exit(0);', 'it ended this process'],
  ['bad_agents_file', 'setInterval(() => {}, 1000); throw new Error("boom");', 'boom'],
  ['agents_file_hangs', 'await new Promise(() => {});', 'waits for something that cannot come any more'],
  ['duplicate_agent', `export default [${agent('a')}, ${agent('a')}];`, 'called a'],
  ['duplicate_tool', `export default [${agent('a', `tools: [${tool()}, ${tool()}]`)}];`, 'called t'],
  ['bad_tool', `export default [${agent('a', `tools: [${tool('retry: 3')}]`)}];`, 'retry'],
  ['unregistered_child', `export default [${agent('a', `tools: [agentTool(${agent('b')})]`)}];`, 'lists a'],
  [
    'migration_hole',
    `export default [${agent('a', "migrations: [{ from: '0', to: '9', migrate: (s) => s }]")}];`,
    'the one from 0 to 9',
  ],
  ['bad_agent', `export default [${agent('a', 'limits: { costUsd: 1 }')}];`, 'prices'],
  ['bad_agent', `export default [${agent('a', 'limits: { steps: -1 }')}];`, 'steps'],
  ['bad_duration', `export default [${agent('a', "limits: { wallClock: 'soon' }")}];`, 'soon'],
  ['schema_not_json', `${tool('input: z.object({ at: z.date() })')};`, 'z.iso.datetime()'],
])('an agents file is refused with %s', async (code, source, told) => {
  const file = join(freshDirectory(), 'agents.ts');
  writeFileSync(file, `${HEAD}${source}\n`);
  const said = await refusedToStart(['--agents', file], code);
  expect(said.split('\n')[0]).toContain(file);
  expect(said).toContain(told);
});

test('an agents file that is not there is named', async () => {
  expect(await refusedToStart(['--agents', 'nowhere.ts'], 'agents_file_not_found')).toContain('nowhere.ts');
  expect(await refusedToStart([], 'agents_file_not_found')).toContain('--agents FILE');
});

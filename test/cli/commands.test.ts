import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshDirectory, type ServerProcess, speaker, startServer } from './stepfold.ts';

let server: ServerProcess;
beforeAll(async () => {
  server = await startServer(join(freshDirectory(), 'data'));
});
afterAll(async () => {
  await server.end();
});

const { say, sayJson } = speaker(() => server);

/** What a terminal would act on. */
const CONTROL = /[^\P{C}\n]/u;

test('a run is started, shown, read and verified by people', async () => {
  const started = await say(['start', 'echo', 'hello', '--wait', '--label', 'team=a', '--label', 'b=c=d']);
  expect(started.code).toBe(0);
  expect(started.stdout).toContain('echo started: hello');
  expect(started.stdout).toMatch(/status {6}completed\nlabels {6}team=a b=c=d\n/);
  const runId = /^run +(\S+)$/m.exec(started.stdout)?.[1] ?? '';
  const said = [
    await say(['show', runId]),
    await say(['events', runId]),
    await say(['events', runId, '--follow']),
    await say(['verify', runId]),
    await say(['runs']),
    await say(['interrupts']),
  ];
  for (const { code, stdout, stderr } of [started, ...said]) {
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).not.toMatch(CONTROL);
  }
  expect(said[0]?.stdout).toContain('output      \\u001b[31mred\\u001b[0m\\u202e');
  expect(said[1]?.stdout).toEqual(said[2]?.stdout);
  expect(said[4]?.stdout).toContain(runId);
});

test('with --json each command gives one value, and a followed log one per line', async () => {
  const { runId } = await sayJson(['start', 'echo', 'hello']);
  const followed = await say(['events', runId, '--follow', '--json']);
  const lines = followed.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.at(-1)).toMatchObject({ type: 'run_completed', output: '\u001b[31mred\u001b[0m\u202e' });
  expect(followed.stdout).not.toMatch(CONTROL);
  expect(await sayJson(['events', runId])).toEqual({ events: lines });
  expect(await sayJson(['events', runId, '--after', '2'])).toEqual({ events: lines.slice(3) });
  expect(await sayJson(['show', runId])).toMatchObject({ runId, status: 'completed' });
  expect(await sayJson(['verify', runId])).toMatchObject({ ok: true, violations: [] });
  expect(await sayJson(['runs', '--agent', 'echo'])).toMatchObject({ runs: expect.any(Array) });
  expect(await sayJson(['interrupts'])).toMatchObject({ interrupts: expect.any(Array) });
});

test('the input is text, a file, stdin, or JSON', async () => {
  const file = join(freshDirectory(), 'question.txt');
  writeFileSync(file, 'from a file\n');
  const inputOf = async (args: string[], stdin?: string) =>
    (await sayJson(['start', '--wait', 'echo', ...args], stdin)).input;
  expect(await inputOf([`@${file}`])).toBe('from a file\n');
  expect(await inputOf(['-'], 'from stdin')).toBe('from stdin');
  expect(await inputOf(['{"a":[1]}', '--input-json'])).toEqual({ a: [1] });
  expect(await inputOf(['-', '--input-json'], '[null]')).toEqual([null]);
  expect(await inputOf(['--', '--wait'])).toBe('--wait');
  expect(await say(['start', 'echo', '@/nowhere'])).toMatchObject({ code: 1, stdout: '' });
  const bad = await say(['start', 'echo', '{a}', '--input-json']);
  expect(bad.stderr).toMatch(/^error expected INPUT to be JSON.* \(malformed_json\)\n$/);
});

test('the same key is the same run', async () => {
  const first = await sayJson(['start', 'echo', 'once', '--key', 'k']);
  expect((await sayJson(['start', 'echo', 'once', '--key', 'k'])).runId).toBe(first.runId);
  const other = await say(['start', 'echo', 'twice', '--key', 'k']);
  expect(other).toMatchObject({ code: 1 });
  expect(other.stderr).toContain('key_reused');
});

test('where several interrupts are open, one is picked', async () => {
  const { runId, interrupts } = await sayJson(['start', 'payer', 'go', '--wait']);
  const ids = interrupts.map((interrupt) => interrupt.interruptId);
  expect(ids).toHaveLength(2);
  const which = await say(['approve', runId]);
  expect(which.code).toBe(2);
  for (const id of ids) expect(which.stderr).toContain(`--interrupt ${id}`);
  const [first = '', second = ''] = ids;
  const approved = await sayJson(['approve', runId, '--interrupt', first, '--by', 'ann', '--note', 'ok']);
  expect(approved).toMatchObject({ decision: 'approve', by: 'ann', note: 'ok' });
  const late = await say(['deny', runId, '--interrupt', first, '--by', 'bob', '--json']);
  expect(late.code).toBe(1);
  expect(JSON.parse(late.stdout)).toMatchObject({ code: 'already_decided', decision: 'approve', by: 'ann' });
  const denied = await say(['deny', runId, '--interrupt', second, '--note', 'too \u0007 dear']);
  expect(denied).toMatchObject({ code: 0, stderr: '' });
  expect(denied.stdout).toContain('too \\u0007 dear');
  const followed = await say(['events', runId, '--follow']);
  expect(followed.stdout).toContain('pay was denied and not sent: too \\u0007 dear');
  const nothing = await say(['approve', runId]);
  expect(nothing).toMatchObject({ code: 1 });
  expect(nothing.stderr).toContain('nothing_to_decide');
});

test('a call in doubt is resolved', async () => {
  const { runId, status } = await sayJson(['start', 'pager', 'go', '--wait']);
  expect(status).toBe('paused');
  const listed = await say(['interrupts', '--reason', 'in_doubt']);
  expect(listed.stdout).toContain(runId);
  const early = await say(['resolve', runId, '--decision', 'retry']);
  expect(early.code).toBe(1);
  expect(early.stderr).toContain('too_early');
  const without = await say(['resolve', runId, '--decision', 'happened']);
  expect(without.stderr).toContain('value_required');
  const bad = await say(['resolve', runId, '--decision', 'happened', '--value', '{']);
  expect(bad.stderr).toContain('expected --value to be JSON');
  const made = await sayJson(['resolve', runId, '--decision', 'happened', '--value', '{"id":7}']);
  expect(made).toMatchObject({ decision: 'happened', value: { id: 7 } });
  expect((await say(['events', runId, '--follow'])).stdout).toContain(
    'page was settled by a person: {"id":7}',
  );
});

test('what the server refuses is said with its code, and what to do', async () => {
  const run = await say(['show', 'run_x']);
  expect(run).toMatchObject({ code: 1, stdout: '' });
  expect(run.stderr).toContain('unknown_run');
  expect(run.stderr).toContain('stepfold runs');
  const agent = await say(['start', 'ehco', 'x', '--json']);
  expect(agent.code).toBe(1);
  expect(JSON.parse(agent.stdout)).toMatchObject({ code: 'unknown_agent' });
  expect((await say(['show', '../x'])).stderr).toContain('bad_id');
  expect((await say(['runs', '--limit', '0'])).stderr).toContain('bad_query');
});

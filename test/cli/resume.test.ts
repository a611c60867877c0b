import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { freshDirectory, type ServerProcess, speaker, startRun, startServer } from './stepfold.ts';

let data: string;
let server: ServerProcess;
beforeEach(async () => {
  data = join(freshDirectory(), 'data');
  server = await startServer(data);
});
afterEach(async () => {
  await server.end();
});

const { say, sayJson, words } = speaker(() => server);

async function restart(env: Record<string, string>): Promise<void> {
  await server.end();
  server = await startServer(data, { env });
}

const paused = (agent: string) => startRun(server.url, agent);

test('a run that met a limit says which and how to raise it, and goes on with a higher one', async () => {
  const runId = await paused('spender');
  const shown = await words(['show', runId]);
  expect(shown).toContain('limits      steps 1, tokens 10000, costUsd 5, wallClock 30d, depth 5\n');
  expect(shown).toMatch(/cost {8}0\.\d+ US dollars\n/);
  expect(shown).toContain('  limit       steps: 1 used of 1\n');
  expect(shown).toContain(`  raise it    stepfold resume ${runId} --limit steps=2\n`);
  expect(await words(['interrupts', '--reason', 'budget_exceeded'])).toContain('steps: 1 of 1 used');
  const low = await say(['resume', runId]);
  expect(low).toMatchObject({ code: 1, stdout: '' });
  expect(low.stderr).toContain('limits_required');
  expect(low.stderr).toContain('Raise it: stepfold resume RUN --limit steps=VALUE');
  const raised = await words([
    ...['resume', runId, '--limit', 'steps=9', '--limit', 'wallClock=31d'],
    ...['--by', 'ann', '--note', 'go on'],
  ]);
  expect(raised).toContain('resumed by ann: go on, with steps 9, wallClock 31d\n');
  const timeline = await words(['events', runId, '--follow']);
  expect(timeline).toContain('waits because its budget is spent: steps 1 of 1 [i3]');
  expect(timeline).toContain('resumed by ann with steps 9, wallClock 31d: go on');
  expect(timeline).toContain('sleepUntil goes on: the time has come');
  expect(timeline).toContain('completed: spent');
  const ended = await say(['resume', runId]);
  expect(ended.stderr).toContain('run_ended');
});

test('a run is started with lower limits, and higher ones are refused', async () => {
  const limits = ['--limit', 'tokens=900', '--limit', 'wallClock=2h', '--limit', 'costUsd=0.5'];
  const { runId } = await sayJson(['start', 'spender', 'x', ...limits]);
  expect((await sayJson(['show', runId])).limits).toMatchObject({
    steps: 1,
    tokens: 900,
    wallClock: 7_200_000,
    costUsd: 0.5,
  });
  const above = await say(['start', 'spender', 'x', '--limit', 'steps=2', '--json']);
  expect(above.code).toBe(1);
  expect(JSON.parse(above.stdout)).toMatchObject({ code: 'limits_above', most: { steps: 1 } });
});

test('a run whose provider refuses says why, and is tried again one by one or all at once', async () => {
  const runIds = [await paused('pauper'), await paused('pauper')];
  const shown = await words(['show', runIds[0] ?? '']);
  expect(shown).toContain('  error       your credit balance is too low (quota_used_up)\n');
  expect(shown).toContain(`  try again   stepfold resume ${runIds[0]}\n`);
  expect(await words(['resume', '--all', '--agent', 'pauper', '--reason', 'version_mismatch'])).toBe(
    'No run of pauper waits as a whole.\n',
  );
  const all = await sayJson<{ resumed: { runId: string }[]; failed: unknown[] }>([
    ...['resume', '--all', '--agent', 'pauper'],
  ]);
  expect(all.resumed.map(({ runId }) => runId).sort()).toEqual(runIds.sort());
  expect(all.failed).toEqual([]);
});

test('what could not be resumed is listed with its reason, and the exit code tells', async () => {
  const runId = await paused('spender');
  const { code, stdout, stderr } = await say(['resume', '--all', '--agent', 'spender']);
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  expect(stdout).toMatch(new RegExp(`^${runId} +budget_exceeded +failed, limits_required: expected`, 'm'));
  expect(stdout).toMatch(/^0 resumed, 1 failed$/m);
});

test('under other code a run says what differs, line by line, and goes on as somebody says', async () => {
  const runIds = [await paused('changing'), await paused('changing'), await paused('changing')];
  const [first = '', second = ''] = runIds;
  await restart({ TEST_REVISION: '2' });
  let shown = '';
  while (!shown.includes('the agent has changed')) shown = await words(['show', first]);
  expect(shown).toContain(
    [
      '  started     as revision 1',
      '  deployed    revision 2',
      '  differs     line 2 of the instructions was: This is revision 1.',
      '              line 2 of the instructions is: This is revision 2.',
      `  go on       stepfold resume ${first} --mode verbatim`,
      `  or          stepfold resume ${first} --mode migrate   # once migrations lead from 1 to 2`,
      '  or          stepfold resume --all --agent changing --mode verbatim   # every such run',
      '  or          # serve revision 1 again, as it was: the run goes on by itself',
      `  or          stepfold cancel ${first}`,
    ].join('\n'),
  );
  const open = await say(['resume', first]);
  expect(open.code).toBe(2);
  expect(open.stderr).toContain(`expected --mode verbatim or --mode migrate`);
  expect((await say(['resume', first, '--mode', 'migrate'])).stderr).toContain('no_migration');
  expect(await words(['resume', first, '--mode', 'verbatim', '--by', 'ann'])).toContain(
    'resumed by ann, under revision 2\n',
  );
  await sayJson(['signal', first, 'go']);
  const timeline = await words(['events', first, '--follow']);
  expect(timeline).toContain('waits because the agent has changed: from revision 1 to 2; line 2');
  expect(timeline).toContain('resumed by ann under revision 2\n');

  while (!(await words(['show', second])).includes('the agent has changed'));
  const unsaid = await say(['resume', '--all', '--agent', 'changing']);
  expect(unsaid.code).toBe(2);
  expect(unsaid.stderr).toContain('of these runs wait for changed code');
  await restart({ TEST_REVISION: '2', TEST_MIGRATION: 'yes' });
  const all = await words(['resume', '--all', '--agent', 'changing', '--mode', 'migrate']);
  expect(all).toMatch(new RegExp(`^${second} +version_mismatch +resumed, migrate$`, 'm'));
  expect(all).toContain('2 resumed, 0 failed\n');
  await sayJson(['signal', second, 'go']);
  expect(await words(['events', second, '--follow'])).toContain('migrated from revision 1 to 2');
});

test('a run goes on by itself when the code that it was started with is served again', async () => {
  const runId = await paused('changing');
  await restart({ TEST_REVISION: '2' });
  while (!(await words(['show', runId])).includes('the agent has changed'));
  await restart({});
  while ((await words(['show', runId])).includes('the agent has changed'));
  expect(await words(['events', runId])).toContain(
    'goes on: the code that it was started with is served again',
  );
});

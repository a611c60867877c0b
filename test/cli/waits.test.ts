import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkUsage } from '../../lib/cli/check-usage.ts';
import { commands } from '../../lib/cli/commands.ts';
import { freshDirectory, type ServerProcess, speaker, startRun, startServer } from './stepfold.ts';

let server: ServerProcess;
beforeAll(async () => {
  server = await startServer(join(freshDirectory(), 'data'));
});
afterAll(async () => {
  await server.end();
});

const { say, sayJson, words } = speaker(() => server);

const paused = (agent: string) => startRun(server.url, agent);

test('a question is shown with its schema and an answer to be copied, and is answered', async () => {
  const runId = await paused('asker');
  const shown = await words(['show', runId]);
  expect(shown).toContain('  question    Which colour,\n              and how many?\n');
  expect(shown).toContain('"required":["colour","count"]');
  const copied = `'{"colour":"it'\\''s red","count":1}'`;
  expect(shown).toContain(`  answer      stepfold answer ${runId} --interrupt i3 ${copied}\n`);
  expect(await words(['interrupts', '--reason', 'awaiting_input'])).toContain(
    'Which colour,\\nand how many?',
  );
  const wrong = await say(['answer', runId, '{"colour":"green"}']);
  expect(wrong).toMatchObject({ code: 1, stdout: '' });
  expect(wrong.stderr).toContain('wrong_answer');
  expect(wrong.stderr).toContain('count');
  expect(wrong.stderr).toContain('stepfold show RUN shows the schema');
  const value = { colour: "it's red", count: 1 };
  expect(
    await sayJson(['answer', runId, JSON.stringify(value), '--by', 'ann', '--note', 'both']),
  ).toMatchObject({
    decision: 'answer',
    by: 'ann',
    note: 'both',
    value,
  });
  const timeline = await words(['events', runId, '--follow']);
  expect(timeline).toContain('askHuman waits for an answer: Which colour,\\nand how many? [i3]');
  expect(timeline).toContain('askHuman answered by ann: {"colour":"it\'s red","count":1}: both');
});

test.each([
  [['blue'], 'blue'],
  [['"42"'], '42'],
  [['42'], 42],
  [['--', '-5'], -5],
  [['{oops'], '{oops'],
  [['null'], null],
])('an answer of %j is %j', async (args, value) => {
  const runId = await paused('free');
  expect(await sayJson(['answer', runId, ...args])).toMatchObject({ value });
});

test('an answer comes from stdin, and is told in words', async () => {
  const runId = await paused('free');
  const { stdout } = await say(['answer', runId, '-', '--interrupt', 'i3', '--by', 'ann'], '{"a":1}');
  expect(stdout).toBe(
    `answer {"a":1} by ann (i3)\nThe run goes on by itself; see \`stepfold show ${runId}\`.\n`,
  );
});

test('a number that looks like a flag says where it belongs', async () => {
  const { code, stderr } = await say(['answer', 'r', '-5']);
  expect(code).toBe(2);
  expect(stderr).toContain('Text that begins with - comes last, behind --.');
});

test('a run that asks nothing is not answered, and says what ends its wait', async () => {
  const runId = await paused('waiter');
  const { code, stderr } = await say(['answer', runId, 'x']);
  expect(code).toBe(1);
  expect(stderr).toContain('i3 (awaiting_signal) is ended by `stepfold signal`');
});

test('a signal is sent with and without a payload, and counts once under its id', async () => {
  const runId = await paused('waiter');
  const shown = await words(['show', runId]);
  expect(shown).toContain("  name        it's paid\n");
  expect(shown).toMatch(/ {2}expires {5}\S+ \S+ \(in 7 d\)\n/);
  expect(shown).toContain(`  signal      stepfold signal ${runId} 'it'\\''s paid' '{"any":"JSON"}'\n`);
  expect(await words(['signal', runId, 'other'])).toContain(`is in the inbox of ${runId}\n`);
  for (let i = 0; i < 2; i++) {
    expect(await sayJson(['signal', runId, "it's paid", '{"amount":3}', '--id', 's-1'])).toEqual({
      runId,
      signalId: 's-1',
    });
  }
  const timeline = await words(['events', runId, '--follow']);
  expect(timeline).toMatch(/awaitSignal waits for a signal, until \S+ \S+: it's paid \[i3\]/);
  expect(timeline).toContain('signal other: null');
  expect(timeline.match(/signal it's paid: \{"amount":3\}/g)).toHaveLength(1);
  expect(timeline).toContain('awaitSignal goes on with the signal');
  expect((await say(['signal', runId, 'late'])).stderr).toContain('run_ended');
  expect((await say(['signal', runId, 'x', '{'])).stderr).toContain('expected the payload to be JSON');
  expect((await say(['signal', runId])).stderr).toContain('Usage: stepfold signal RUN NAME [JSON] [options]');
});

test('a conversation is sent messages until one says that it is the last', async () => {
  const runId = await paused('talker');
  expect(await words(['show', runId])).toContain(`  send        stepfold send ${runId} "your message"\n`);
  const sent = await words(['send', runId, 'and now?', '--final', '--id', 'm-1']);
  expect(sent).toContain(`message m-1 is in the inbox of ${runId}\n`);
  const timeline = await words(['events', runId, '--follow']);
  expect(timeline).toContain('last message: and now?');
  expect(timeline).toContain('goes on with the message');
  expect(timeline).toContain('completed: bye');
  expect((await say(['send', runId, 'late'])).stderr).toContain('stepfold show RUN shows how it ended');
  expect((await say(['send', runId, ''])).stderr).toContain('body.text');
});

test('a sleep says until when, and is listed where it is asked for', async () => {
  const runId = await paused('sleeper');
  expect(await words(['show', runId])).toMatch(/ {2}until {7}\S+ \S+ \(in 7 d\)\n/);
  expect(await words(['interrupts'])).not.toContain(runId);
  expect(await words(['interrupts', '--reason', 'timer'])).toMatch(new RegExp(`${runId}.*until `));
});

test('a parent names its child, the child its parent, and both say where to look', async () => {
  const runId = await paused('boss');
  const { interrupts } = await sayJson(['show', runId]);
  const child = interrupts[0]?.child?.runId ?? '';
  const shown = await words(['show', runId]);
  expect(shown).toContain(`  child       ${child} of asker\n`);
  expect(shown).toContain(`  see         stepfold show ${child}\n`);
  expect(await words(['events', runId])).toContain(`asker waits for a child run: asker in ${child} [i3]`);
  expect(await words(['show', child])).toContain(`parent      ${runId}; see stepfold show ${runId}\n`);
  expect(await words(['events', child])).toContain(`asker started by run ${runId}: ask`);
  await sayJson(['answer', child, '{"colour":"blue","count":2}']);
  const timeline = await words(['events', runId, '--follow']);
  expect(timeline).toMatch(new RegExp(`asker run ${child} has completed \\(2 steps, \\d+ tokens\\)`));
});

test('a hint names the server again where the command line did', async () => {
  const url = server.url;
  const { runId } = await sayJson(['start', 'payer', 'go', '--wait', '--url', url]);
  const shown = await words(['show', runId, `--url=${url}/`]);
  expect(shown).toContain(`stepfold approve ${runId} --interrupt i3 --url ${url}/\n`);
  expect(await words(['show', runId])).not.toContain('--url');
  expect(await words(['start', 'echo', 'x', '--url', url])).toContain(`--follow --url ${url}\n`);
  await sayJson(['start', 'echo', 'x']);
  const page = await words(['runs', '--agent', 'echo', '--limit', '1', '--url', url]);
  expect(page).toMatch(/^more: stepfold runs --agent echo --limit 1 --cursor \S+ --url \S+$/m);
  const gone = await say(['runs', '--url', 'http://127.0.0.1:1']);
  expect(gone.stderr).toContain('`stepfold dev`');
});

test('a decision about one of two waits says what is still open', async () => {
  const runId = await paused('payer');
  expect(await words(['approve', runId, '--interrupt', 'i3', '--by', 'ann'])).toBe(
    `approve by ann (i3)\nStill open: pay waits for approval (interrupt i4); see \`stepfold show ${runId}\`.\n`,
  );
});

test('a list that is narrowed and empty says so', async () => {
  expect(await words(['runs', '--status', 'failed'])).toBe('No run is failed. All runs: stepfold runs\n');
  expect(await words(['runs', '--status', 'failed', '--agent', 'payer'])).toContain(
    'No run of payer is failed.',
  );
  expect(await words(['runs', '--agent', 'nobody'])).toBe(
    'No run of nobody. Start one: stepfold start nobody "your question"\n',
  );
});

test.each(['payer', 'pager', 'asker', 'free', 'waiter', 'talker', 'spender', 'pauper', 'boss'])(
  'every command that show prints for %s is one that the command line takes',
  async (agent) => {
    const runId = await paused(agent);
    const { interrupts } = await sayJson(['show', runId]);
    const shown = await words(['show', runId]);
    const lines = shown.match(/(?<= {2})stepfold .*$/gm) ?? [];
    expect(lines.length).toBeGreaterThanOrEqual(interrupts.length);
    for (const line of lines) {
      const { stdout } = spawnSync('sh', [
        '-c',
        `stepfold() { for word; do printf '%s\\0' "$word"; done; }; ${line}`,
      ]);
      const [name = '', ...args] = stdout.toString().split('\0').slice(0, -1);
      const command = await commands[name]?.();
      expect(command, line).toBeDefined();
      expect(() => checkUsage(command!, args), line).not.toThrow();
    }
  },
);

test('a call in doubt is settled by one line for each decision', async () => {
  const runId = await paused('pager');
  const { interrupts } = await sayJson(['show', runId]);
  const settle = `stepfold resolve ${runId} --interrupt ${interrupts[0]?.interruptId} --decision`;
  expect(await words(['show', runId])).toContain(
    [
      `  decide      ${settle} happened --value 'null'`,
      `  or          ${settle} retry`,
      `  or          ${settle} skip`,
      `  or          ${settle} fail\n`,
    ].join('\n'),
  );
});

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { commands } from '../../lib/cli/commands.ts';
import { stepfold } from './stepfold.ts';

test.each([
  [[], 'expected a command, got none', 'Usage: stepfold COMMAND'],
  [['shwo', 'r'], 'Did you mean show?', 'Usage: stepfold COMMAND'],
  [['constructor'], 'expected a command, got "constructor"', 'Usage: stepfold COMMAND'],
  [['show'], 'expected RUN, which is missing', 'Usage: stepfold show RUN'],
  [['start', 'echo'], 'expected INPUT, which is missing', 'Usage: stepfold start AGENT INPUT'],
  [
    ['start', 'echo', 'two', 'words'],
    'got also "words". Put text with spaces in quotes',
    'Usage: stepfold start',
  ],
  [['show', 'r', '--jsno'], 'unknown flag --jsno. Did you mean --json?', 'Usage: stepfold show'],
  [['show', 'r', '-x'], 'unknown flag -x', 'Usage: stepfold show'],
  [['show', 'r', '--no-json'], 'unknown flag --no-json', 'Usage: stepfold show'],
  [['show', 'r', '--json=yes'], '--json takes no value', 'Usage: stepfold show'],
  [['deny', 'r', '--note'], '--note needs a value', 'Usage: stepfold deny'],
  [['deny', 'r', '--note', '--by'], '--note=--by', 'Usage: stepfold deny'],
  [['resolve', 'r'], 'expected --decision, which is missing', 'Usage: stepfold resolve RUN --decision'],
  [['resolve', 'r', '--decision', 'retyr'], 'Did you mean retry?', 'Usage: stepfold resolve'],
  [['start', 'echo', 'x', '--label', 'nope'], 'expected NAME=VALUE', 'Usage: stepfold start'],
  [['events', 'r', '--after', 'x'], 'expected the seq of an event', 'Usage: stepfold events'],
  [['start', 'e', 'x', '--limit', 'stpes=3'], 'Did you mean steps?', 'Usage: stepfold start'],
  [
    ['start', 'e', 'x', '--limit', 'steps=-3'],
    'expected steps to be a number, got "-3"',
    'Usage: stepfold start',
  ],
  [['start', 'e', 'x', '--limit', 'wallClock=soon'], 'a duration such as 2h', 'Usage: stepfold start'],
  [['resume', 'r', '--limit', 'steps'], 'expected NAME=VALUE', 'Usage: stepfold resume'],
  [['resume', 'r', '--mode', 'migarte'], 'Did you mean migrate?', 'Usage: stepfold resume [RUN]'],
  [['resume'], 'expected RUN, or --all --agent NAME', 'Usage: stepfold resume'],
  [['resume', 'r', '--all', '--agent', 'a'], 'expected RUN or --all, got both', 'Usage: stepfold resume'],
  [['resume', '--all'], 'expected --agent NAME with --all', 'Usage: stepfold resume'],
  [['resume', 'r', '--agent', 'a'], 'expected --all with --agent', 'Usage: stepfold resume'],
  [['cancle', 'r'], 'Did you mean cancel?', 'Usage: stepfold COMMAND'],
  [['cancel', 'r', '--wait'], 'Did you mean --no-wait?', 'Usage: stepfold cancel'],
  [['send', 'r'], 'expected TEXT, which is missing', 'Usage: stepfold send RUN TEXT'],
  [['signal', 'r', 'n', '1', '2'], 'expected RUN and NAME and JSON, got also "2"', 'Usage: stepfold signal'],
  [['dev', '--port', '65536'], 'expected a number from 0 to 65535', 'Usage: stepfold dev'],
])('stepfold %j says what was meant and shows the usage', async (args, meant, usage) => {
  const { code, stdout, stderr } = await stepfold(args);
  expect(stderr).toContain(meant);
  expect(stderr).toContain(usage);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
});

test('every command has its help', async () => {
  const overview = await stepfold(['--help']);
  expect(overview.code).toBe(0);
  for (const name of Object.keys(commands)) {
    expect(overview.stdout).toContain(`\n  ${name}`);
    const help = await stepfold([name, '--help']);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect(help.stdout).toContain(`Usage: stepfold ${name}`);
    expect(help.stdout).toContain('--json');
  }
});

test('help is --help, also of a command', async () => {
  expect(await stepfold(['help'])).toEqual(await stepfold(['--help']));
  expect(await stepfold(['help', 'start'])).toEqual(await stepfold(['start', '--help']));
  expect((await stepfold(['help', 'strat'])).stderr).toContain('Did you mean start?');
});

test.each(['--version', '-v'])('%s says which version this is', async (flag) => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  expect(await stepfold([flag])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
});

test('--help behind -- is an argument', async () => {
  const { code, stderr } = await stepfold(['show', '--', '--help'], { url: 'http://127.0.0.1:1' });
  expect(code).toBe(1);
  expect(stderr).toContain('no_server');
});

test('with --json an error is the one JSON value', async () => {
  const { code, stdout, stderr } = await stepfold(['show', '--json']);
  expect(code).toBe(2);
  expect(JSON.parse(stdout)).toEqual({ code: 'bad_usage', detail: 'expected RUN, which is missing' });
  expect(stderr).toContain('Usage');
});

test('where no server is, it says how to start one', async () => {
  const { code, stdout, stderr } = await stepfold(['runs'], { url: 'http://127.0.0.1:1' });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain('http://127.0.0.1:1');
  expect(stderr).toContain('Start one with `stepfold dev`');
});

test('inside the repository commands are named as they are typed there', async () => {
  const env = { npm_lifecycle_event: 'stepfold' };
  const { stderr } = await stepfold(['runs'], { url: 'http://127.0.0.1:1', env });
  expect(stderr).toContain('`npm start` (the sample), or `npm run -s stepfold -- dev` (agents of your own)');
});

test('an address that is none is named', async () => {
  const { code, stderr } = await stepfold(['runs', '--url', 'nonsense']);
  expect(code).toBe(1);
  expect(stderr).toContain('"nonsense"');
});

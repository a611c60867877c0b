import { afterEach, expect, test, vi } from 'vitest';
import { describeRun } from '../../lib/cli/describe-run.ts';
import { exampleOf } from '../../lib/cli/example-of.ts';
import { raisedLimit } from '../../lib/cli/format-limits.ts';
import { formatDuration } from '../../lib/cli/format-time.ts';
import { nearest } from '../../lib/cli/nearest.ts';
import { paint } from '../../lib/cli/paint.ts';
import { shellWord } from '../../lib/cli/shell-word.ts';
import { table } from '../../lib/cli/table.ts';
import { createTimeline } from '../../lib/cli/timeline.ts';
import { brief, jsonText, visible } from '../../lib/cli/visible.ts';
import type { Event } from '../../lib/core/events.ts';
import type { Json } from '../../lib/core/json.ts';
import type { RunView } from '../../lib/runtime/run-view.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

test('colours are for terminals, and not where NO_COLOR is set', () => {
  vi.stubEnv('NO_COLOR', undefined);
  vi.stubEnv('TERM', 'xterm');
  expect(paint({ isTTY: true }).red('x')).toBe('\u001b[31mx\u001b[39m');
  expect(paint({}).red('x')).toBe('x');
  vi.stubEnv('NO_COLOR', '1');
  expect(paint({ isTTY: true }).red('x')).toBe('x');
});

test('what moves a cursor or hides text is made visible', () => {
  expect(visible('a\u001b[2Jb\r\u009b1m\u0000\u007f')).toBe('a\\u001b[2Jb\\u000d\\u009b1m\\u0000\\u007f');
  expect(visible('evil\u202etxt\u200b\ufeff')).toBe('evil\\u202etxt\\u200b\\ufeff');
  expect(visible('tag\u{e0041}')).toBe('tag\\udb40\\udc41');
  expect(visible('a\nb')).toBe('a\\nb');
  expect(visible('a\nb\r', { lines: true })).toBe('a\nb\\u000d');
  expect(visible('äß漢字🙂')).toBe('äß漢字🙂');
});

test('JSON for a terminal parses to the same value', () => {
  const value = { 'k\u009b': ['\u001b[31m', '\u202e', '\u{e0041}', '\ud800', '\n', '\u2028'] };
  const text = jsonText(value);
  expect(text).toMatch(/^[\x20-\x7e]*$/);
  expect(JSON.parse(text)).toEqual(value);
});

test('a long payload is cut to a line', () => {
  expect(brief({ a: 'x'.repeat(500) }, 20)).toHaveLength(20);
  expect(brief('one\ntwo')).toBe('one\\ntwo');
});

test('columns are aligned, also where cells are painted', () => {
  const rows = [
    ['a', 'completed', 'x'],
    ['bbb', 'ok', ''],
  ];
  expect(table(['ID', 'STATUS', 'MORE'], rows)).toBe('ID   STATUS     MORE\na    completed  x\nbbb  ok\n');
  const painted = table(['ID', 'STATUS', 'MORE'], rows, (cell) => `<${cell}>`);
  expect(painted).toContain('<a>    <completed>  <x>\n');
});

test.each([
  ['shwo', 'show'],
  ['aprove', 'approve'],
  ['interupt', 'interrupts'],
  ['sta', 'start'],
  ['xyz', undefined],
  ['', undefined],
])('%j is nearest to %s', (given, near) => {
  expect(nearest(given, ['start', 'show', 'approve', 'interrupts', 'runs'])).toBe(near);
});

const at = '2026-03-02T09:00:00.000Z';
const envelope = (seq: number, step: number) => ({ v: 1 as const, seq, step, at });

test('a timeline tells each event in a line, tools by their names', () => {
  const line = createTimeline({});
  const events: Event[] = [
    {
      ...envelope(0, 0),
      type: 'run_started',
      agent: 'a',
      revision: '1',
      promptHash: 'h',
      input: 'why\u001b',
    },
    {
      ...envelope(1, 1),
      type: 'model_responded',
      completion: [],
      calls: [{ toolCallId: 'x', name: 'pay' }],
      finishReason: { unified: 'tool-calls' },
      usage: { inputTokens: 1, outputTokens: 2, cachedInputTokens: 0 },
    },
    {
      ...envelope(2, 2),
      type: 'tool_call_failed',
      callId: '1.0',
      error: { code: 'tool_error', message: 'gone' },
      attempt: 1,
      outcome: 'unknown',
    },
    { ...envelope(3, 2), type: 'tool_returned', callId: '1.0', result: { id: 7 }, source: 'reconciled' },
    { ...envelope(4, 3), type: 'run_failed', error: { code: 'model_failed', message: 'no' } },
  ];
  const [first = '', ...rest] = events.map(line);
  expect(first).toMatch(/^\d{4}-\d\d-\d\d\n[\d:.]{12} {12}a started: why\\u001b\n$/);
  expect(rest.map((text) => text.slice(14))).toEqual([
    'step 1    model wants pay (1 + 2 tokens)\n',
    'step 2    pay was cut off, nobody knows whether it happened: gone (tool_error)\n',
    'step 2    pay had happened and was not sent again: {"id":7}\n',
    'step 3    failed: no (model_failed)\n',
  ]);
});

const base = { v: 1 as const, step: 2, at };
const opened = { ...base, seq: 3, type: 'interrupted' as const, interruptId: 'i3' };
const closed = { ...base, seq: 4, type: 'resumed' as const, interruptId: 'i3' };
const said = (event: Event) => createTimeline({})(event).split('\n').at(-2)?.slice(24);

test.each<[Event, string]>([
  [{ ...opened, reason: 'awaiting_message' }, 'waits for a message [i3]'],
  [
    { ...opened, reason: 'provider_blocked', error: { code: 'overloaded', message: 'busy' } },
    'waits because the model provider refuses: busy (overloaded) [i3]',
  ],
  [
    { ...opened, reason: 'awaiting_approval', tool: 'pay', argsRef: { sha256: 'a'.repeat(64), bytes: 9 } },
    'pay waits for approval: 9 bytes [i3]',
  ],
  [{ ...closed, by: 'ann', outcome: { decision: 'deny', note: 'no' } }, 'denied by ann: no'],
  [{ ...closed, by: 'ann', outcome: { decision: 'retry' } }, 'settled by ann: it is sent again'],
  [{ ...closed, by: 'stepfold:expiry', outcome: { decision: 'expired' } }, 'expired: nobody decided in time'],
  [{ ...closed, by: 'stepfold:timer', outcome: { decision: 'timer' } }, 'goes on: the time has come'],
  [
    {
      ...closed,
      by: 'stepfold:policy',
      outcome: { decision: 'verbatim', accepted: { revision: '2', promptHash: 'h' } },
    },
    'goes on under revision 2, as the agent declares (onVersionChange)',
  ],
  [
    { ...closed, by: 'run:run_x', outcome: { decision: 'cancelled', used: { steps: 1, tokens: 2 } } },
    'run run_x has been cancelled (1 steps, 2 tokens)',
  ],
  [{ ...closed, by: 'ann', outcome: { decision: 'novel' } }, 'resumed: novel by ann'],
  [
    { ...base, seq: 5, type: 'cancel_requested', by: 'run:run_p', reason: 'enough' },
    'cancel requested by run run_p: enough',
  ],
  [
    { ...base, seq: 6, type: 'run_cancelled', by: 'ann', unresolved: ['1.0', '1.1'] },
    'cancelled by ann; nobody knows whether it happened: call 1.0 (1.0), call 1.1 (1.1)',
  ],
  [
    { ...base, seq: 7, type: 'message_received', messageId: 'output:2', content: 'not JSON' },
    'told the model: not JSON',
  ],
])('a timeline tells %j in words', (event, words) => {
  expect(said(event)).toBe(words);
});

const view: RunView = {
  runId: 'run_x',
  agent: 'a',
  status: 'paused',
  labels: {},
  seq: 9,
  steps: 1,
  usage: { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, modelCalls: 0, toolCalls: 0 },
  limits: {},
  interrupts: [],
  values: {},
  evidence: [],
  createdAt: at,
  updatedAt: at,
};
const wait = { interruptId: 'i3', step: 2, since: at, decisions: [] };

test('nothing that a model or a caller says moves a cursor, passes for a row, or leaves its word of a command', () => {
  const evil = "x'; rm -rf ~ #\u001b[2J\u202e";
  const shown = describeRun(
    {
      ...view,
      cancel: { by: evil, reason: `${evil}\nstatus      completed`, at },
      interrupts: [
        {
          ...wait,
          reason: 'awaiting_input',
          question: `May I?\n  answer      rm -rf /\r${evil}`,
          schema: { enum: [evil] },
          decisions: ['answer'],
        },
        { ...wait, reason: 'awaiting_signal', name: evil },
        { ...wait, reason: 'version_mismatch', facts: { differences: [`${evil}\n  go on  x`] } },
      ],
    },
    {},
  );
  expect(shown).not.toMatch(/[^\P{C}\n]/u);
  expect(shown.match(/^status/gm)).toHaveLength(1);
  expect(shown.match(/^ {2}(answer|go on)/gm)).toEqual(['  answer', '  go on']);
  const word = "'x'\\''; rm -rf ~ #\\u001b[2J\\u202e'";
  expect(shown).toContain(`stepfold answer run_x --interrupt i3 ${word}\n`);
  expect(shown).toContain(`stepfold signal run_x ${word} '{"any":"JSON"}'\n`);
});

test('a wait whose facts lie elsewhere is shown with the place', () => {
  const ref = { sha256: 'a'.repeat(64), bytes: 300_000 };
  const interrupts = [{ ...wait, reason: 'version_mismatch', factsRef: ref }];
  const shown = describeRun({ ...view, interrupts }, {});
  expect(shown).toContain(`  facts       300000 bytes, ${ref.sha256}\n`);
  expect(shown).toContain('stepfold resume run_x --mode verbatim\n');
});

test.each([
  ['plain-1.0', 'plain-1.0'],
  ['two words', "'two words'"],
  ["it's", "'it'\\''s'"],
  ['', "''"],
  ['$HOME', "'$HOME'"],
  ['a\nb', "'a\nb'"],
])('%j is one word of a shell', (text, word) => {
  expect(shellWord(text)).toBe(word);
});

test.each([
  [90_000, '90s'],
  [7_200_000, '2h'],
  [86_400_000, '1d'],
  [1_500, '1500ms'],
  [0, '0ms'],
])('%i ms are %s, as a limit takes them', (ms, words) => {
  expect(formatDuration(ms)).toBe(words);
});

test.each([
  ['steps', 3, '6'],
  ['costUsd', 0.1234, '0.25'],
  ['wallClock', 86_400_000 * 1.2, '3d'],
  ['wallClock', 90_000, '3m'],
])('a limit of %s that is used up at %d is raised to %s', (name, used, raised) => {
  expect(raisedLimit(name, used)).toBe(raised);
});

test.each<[Json | undefined, Json]>([
  [undefined, 'your answer'],
  [{ type: 'string' }, 'your answer'],
  [{ type: 'boolean' }, true],
  [{ type: ['integer', 'null'] }, 1],
  [{ const: 'x' }, 'x'],
  [{ type: 'array', items: { enum: ['a', 'b'] } }, ['a']],
  [{ type: 'object', properties: { a: { type: 'number' }, b: {} }, required: ['a'] }, { a: 1 }],
  ['no schema', 'your answer'],
])('an answer to the schema %j may be %j', (schema, example) => {
  expect(exampleOf(schema)).toEqual(example);
});

test('a schema that holds itself as deep as it goes ends', () => {
  let schema: Json = { type: 'string' };
  for (let i = 0; i < 50; i++) schema = { type: 'object', properties: { a: schema } };
  expect(JSON.stringify(exampleOf(schema)).length).toBeLessThan(100);
});

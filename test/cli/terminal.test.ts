import { afterEach, expect, test, vi } from 'vitest';
import { nearest } from '../../lib/cli/nearest.ts';
import { paint } from '../../lib/cli/paint.ts';
import { table } from '../../lib/cli/table.ts';
import { createTimeline } from '../../lib/cli/timeline.ts';
import { brief, jsonText, visible } from '../../lib/cli/visible.ts';
import type { Event } from '../../lib/core/events.ts';

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

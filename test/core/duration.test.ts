import { expect, test } from 'vitest';
import { milliseconds } from '../../lib/core/duration.ts';

test.each([
  ['250ms', 250],
  ['30s', 30_000],
  ['5m', 300_000],
  ['24h', 86_400_000],
  ['7d', 604_800_000],
  ['2w', 1_209_600_000],
  [0, 0],
  [1_500, 1_500],
])('%s is %i ms', (duration, ms) => {
  expect(milliseconds(duration)).toBe(ms);
});

test.each([
  '',
  's',
  '10',
  '-1s',
  '1.5h',
  '1 h',
  '1y',
  '999999999w',
  -1,
  1.5,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  null,
  undefined,
  {},
])('%s is no duration', (duration) => {
  expect(() => milliseconds(duration as never, 'a wait')).toThrow(
    expect.objectContaining({ code: 'bad_duration', message: expect.stringContaining('a wait') }),
  );
});

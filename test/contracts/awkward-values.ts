import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect } from 'vitest';

/** Values that a careless store alters. */
export const AWKWARD_VALUES: Readonly<Record<string, unknown>> = {
  'a NUL character': 'before\u0000after',
  'a lone high surrogate': 'before\ud83dafter',
  'a lone low surrogate': '\udc00',
  'a character beyond the basic plane': '\u{1f680}\u{10ffff}',
  'text that looks like an escape': '\\u0000 \\\\ "',
  'line separators': '\u2028\u2029\r\n',
  '2^53 + 1 in a string': '9007199254740993',
  'the greatest safe integer': Number.MAX_SAFE_INTEGER,
  'a tiny number': 5e-324,
  'an empty key': { '': { '': 1 } },
  'an own key __proto__': JSON.parse('{ "__proto__": { "polluted": true }, "constructor": 1 }'),
  'keys of awkward characters': { '\u0000': 1, '\ud800': 2, 'a.b': 3, $ref: 4, '#': 5 },
  'what looks like a reference': { sha256: '0'.repeat(64), bytes: 1 },
  'nesting of 1,000': nested(1_000),
  'empty containers': [[], {}, '', null, false, 0],
  'a long text of many bytes': '€'.repeat(200_000),
};

/** Any JSON value, with strings of any UTF-16 code units. */
export const anyJson = fc.letrec((tie) => {
  const text = fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 8 })
    .map((units) => String.fromCharCode(...units));
  return {
    value: fc.oneof(
      { depthSize: 'small' },
      text,
      fc.constant(null),
      fc.boolean(),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.array(fc.tuple(text, tie('value')), { maxLength: 3 }).map(Object.fromEntries),
    ),
  };
}).value;

/** Equal in every key and character, own `__proto__` keys included. */
export function expectIdentical(got: unknown, wanted: unknown): void {
  if (!isDeepStrictEqual(got, wanted)) expect(got).toEqual(wanted);
  expect(isDeepStrictEqual(got, wanted)).toBe(true);
}

function nested(depth: number): unknown {
  let value: unknown = 'bottom';
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { in: value };
  return value;
}

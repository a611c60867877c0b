import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { jsonSchemaOf } from '../../lib/core/json-schema-of.ts';
import { unknownProperties } from '../../lib/models/unknown-properties.ts';

const of = (schema: z.ZodType, value: unknown) => unknownProperties(jsonSchemaOf('it', schema), value);

const inner = z.object({ a: z.string() });
const Tree = z.object({
  name: z.string(),
  get kids() {
    return z.array(Tree).optional();
  },
});
const ROWS: [string, z.ZodType, unknown, string[]][] = [
  ['none', inner, { a: '1' }, []],
  ['at the top', inner, { a: '1', b: 2, c: 3 }, ['.b', '.c']],
  ['within', z.object({ n: inner }), { n: { a: '1', b: 2 } }, ['.n.b']],
  ['in a list', z.object({ l: z.array(inner) }), { l: [{ a: '1' }, { a: '1', b: 2 }] }, ['.l[1].b']],
  ['in a tuple', z.object({ t: z.tuple([inner, inner]) }), { t: [{ a: '', b: 1 }, { a: '' }] }, ['.t[0].b']],
  ['in a record', z.record(z.string(), inner), { any: { a: '1', b: 2 } }, ['.any.b']],
  ['where one may be null', z.object({ n: inner.nullable() }), { n: { a: '1', b: 2 } }, ['.n.b']],
  ['where one has a default', z.object({ n: inner.default({ a: '' }) }), { n: { a: '1', b: 2 } }, ['.n.b']],
  ['in a schema that refers to itself', Tree, { name: '', kids: [{ name: '', age: 1 }] }, ['.kids[0].age']],
  ['in a strict object', z.object({ n: z.looseObject({}) }), { n: { b: 2 } }, []],
  ['beside a catch-all', inner.catchall(inner), { a: '', b: { a: '', c: 1 } }, ['.b.c']],
  ['in what may be anything', z.object({ u: z.unknown(), j: z.json() }), { u: { x: 1 }, j: { y: [{}] } }, []],
  ['in an intersection', z.intersection(inner, z.object({ b: z.number() })), { a: '', b: 1, c: 2 }, ['.c']],
  ['beside a record', z.intersection(inner, z.record(z.string(), z.unknown())), { a: '', any: 1 }, []],
  [
    'in an intersection of lists',
    z.object({ l: z.intersection(z.array(inner), z.array(z.object({ b: z.number() }))) }),
    { l: [{ a: '', b: 1, c: 2 }] },
    ['.l[0].c'],
  ],
  [
    'in an intersection with alternatives',
    z.intersection(inner, z.union([z.object({ b: z.number() }), z.object({ c: z.number() })])),
    { a: '', c: 1 },
    [],
  ],
  [
    'in the wider of two alternatives',
    z.union([inner, inner.extend({ b: z.number() })]),
    { a: '', b: 1 },
    [],
  ],
  [
    'of the other alternative',
    z.discriminatedUnion('k', [
      z.object({ k: z.literal('x'), x: z.number() }),
      z.object({ k: z.literal('y'), x: z.number(), y: z.number() }),
    ]),
    { k: 'x', x: 1, y: 1 },
    ['.y'],
  ],
  [
    'of an alternative whose kinds do not fit',
    z.union([inner, z.object({ a: z.number(), b: z.number() })]),
    { a: '', b: 1 },
    ['.b'],
  ],
  [
    'called like what every object has',
    inner,
    { a: '', constructor: 1, toString: 1 },
    ['.constructor', '.toString'],
  ],
];

test.each(ROWS)('unknown properties: %s', (_, schema, value, expected) => {
  expect(schema.safeParse(value).success).toBe(true);
  expect(of(schema, value)).toEqual(expected);
});

/** A schema, and the same with every object strict. */
interface Twins {
  open: z.ZodType;
  strict: z.ZodType;
  value: fc.Arbitrary<unknown>;
  union: boolean;
}

const KEYS = ['a', 'b', 'c'];
const leaf: Twins[] = [
  { open: z.string(), strict: z.string(), value: fc.string({ maxLength: 3 }), union: false },
  { open: z.number(), strict: z.number(), value: fc.integer(), union: false },
];

const twins: fc.Arbitrary<Twins> = fc.letrec<{ any: Twins; object: Twins }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'twins' },
    fc.constantFrom(...leaf),
    tie('object'),
    tie('any').map(({ open, strict, value, union }) => ({
      open: z.array(open),
      strict: z.array(strict),
      value: fc.array(value, { maxLength: 3 }),
      union,
    })),
    fc.tuple(tie('any'), tie('any')).map(([x, y]) => ({
      open: z.union([x.open, y.open]),
      strict: z.union([x.strict, y.strict]),
      value: fc.oneof(x.value, y.value),
      union: true,
    })),
  ),
  object: fc
    .dictionary(fc.constantFrom(...KEYS), tie('any'), { minKeys: 1, maxKeys: 3, noNullPrototype: true })
    .map((shape) => {
      const entries = Object.entries(shape);
      const part = <P>(pick: (each: Twins) => P) =>
        Object.fromEntries(entries.map(([key, each]) => [key, pick(each)])) as Record<string, P>;
      return {
        open: z.object(part((each) => each.open)),
        strict: z.strictObject(part((each) => each.strict)),
        // Now and then with a property too many.
        value: fc.record({
          ...Object.fromEntries(KEYS.map((key) => [key, fc.constant(undefined)])),
          ...part((each) => each.value),
          ...(!shape.c && { c: fc.option(fc.integer(), { nil: undefined, freq: 2 }) }),
        }),
        union: entries.some(([, each]) => each.union),
      };
    }),
})).object;

const cases = twins.chain((twin) =>
  twin.value.map((value) => ({ twin, value: JSON.parse(JSON.stringify(value)) as unknown })),
);

test('what strict schemas take has nothing unknown, and without alternatives what they refuse has', () => {
  const seen = { refused: 0, unions: 0 };
  fc.assert(
    fc.property(cases, ({ twin, value }) => {
      const unknown = of(twin.open, value);
      if (twin.union) seen.unions++;
      if (twin.strict.safeParse(value).success) expect(unknown).toEqual([]);
      else if (!twin.union && twin.open.safeParse(value).success) {
        seen.refused++;
        expect(unknown).not.toEqual([]);
      }
    }),
    { numRuns: 1_000 },
  );
  expect(seen.refused).toBeGreaterThan(20);
  expect(seen.unions).toBeGreaterThan(20);
});

test('alternatives that refer to themselves cost no more than the value is large', () => {
  type Node = { l?: Node | undefined; x?: number | undefined };
  const node: z.ZodType<Node> = z.lazy(() =>
    z.union([
      z.object({ l: node.optional(), x: z.number().optional() }),
      z.object({ l: node.optional(), x: z.number().optional(), y: z.number().optional() }),
    ]),
  );
  const deep = Array.from({ length: 300 }).reduce<object>((below) => ({ l: below, x: 1 }), { z: 1 });
  const began = performance.now();
  expect(of(z.object({ node }), { node: deep })).toHaveLength(1);
  expect(performance.now() - began).toBeLessThan(2_000);
});

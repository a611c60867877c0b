type Schema = Readonly<Record<string, unknown>>;
/** Paths such as `.a[0].b`; undefined where a schema says nothing about properties. */
type Unknown = readonly string[] | undefined;

/**
 * The paths of the properties that a JSON Schema does not name. An object that names properties counts as closed unless the
 * schema says otherwise; of alternatives that the value may be, the one that leaves the least unknown counts.
 */
export function unknownProperties(root: Schema, value: unknown): readonly string[] {
  const judged = new Map<Schema, Map<unknown, Unknown>>();
  return judge(root, value) ?? [];

  /** Each pair is judged once, so that recursive alternatives do not cost more than the value is large. */
  function judge(given: unknown, value: unknown): Unknown {
    if (typeof value !== 'object' || value === null) return undefined;
    const schema = resolve(root, given);
    const known = judged.get(schema) ?? new Map<unknown, Unknown>();
    judged.set(schema, known);
    if (known.has(value)) return known.get(value);
    known.set(value, undefined);
    const verdicts = [
      Array.isArray(value) ? ofItems(schema, value) : ofProperties(schema, value),
      ...listOf(schema.allOf).map((each) => judge(each, value)),
      ofAlternatives([...listOf(schema.anyOf), ...listOf(schema.oneOf)], value),
    ].filter((verdict) => verdict !== undefined);
    // What one part of an intersection names is known.
    const verdict = verdicts.length === 0 ? undefined : verdicts.reduce(common);
    known.set(value, verdict);
    return verdict;
  }

  function ofProperties(schema: Schema, value: object): Unknown {
    const { properties, patternProperties, additionalProperties } = schema;
    if (properties === undefined && patternProperties === undefined && additionalProperties === undefined)
      return undefined;
    return Object.entries(value).flatMap(([key, item]) => {
      const patterns = Object.entries(schemaOf(patternProperties));
      const named = Object.hasOwn(schemaOf(properties), key) ? schemaOf(properties)[key] : undefined;
      const matching = patterns.find(([pattern]) => new RegExp(pattern, 'u').test(key))?.[1];
      const sub = named ?? matching ?? additionalProperties ?? properties === undefined;
      return sub === false ? [`.${key}`] : (judge(sub, item) ?? []).map((path) => `.${key}${path}`);
    });
  }

  function ofItems({ prefixItems, items }: Schema, value: readonly unknown[]): Unknown {
    if (prefixItems === undefined && items === undefined) return undefined;
    const first = listOf(prefixItems);
    return value.flatMap((item, index) =>
      (judge(first[index] ?? items, item) ?? []).map((path) => `[${index}]${path}`),
    );
  }

  function ofAlternatives(alternatives: readonly unknown[], value: object): Unknown {
    if (alternatives.length === 0) return undefined;
    const fitting = alternatives.filter((each) => mayBe(root, each, value));
    const verdicts = (fitting.length > 0 ? fitting : alternatives).map((each) => judge(each, value) ?? []);
    return verdicts.reduce((least, each) => (each.length < least.length ? each : least));
  }
}

/** Whether a value may be meant for an alternative: by its kind, the properties it needs, and their kinds and fixed values. */
function mayBe(root: Schema, given: unknown, value: object): boolean {
  const { type, required, properties } = resolve(root, given);
  if (type !== undefined && type !== kindOf(value)) return false;
  if (listOf(required).some((key) => !Object.hasOwn(value, String(key)))) return false;
  return Object.entries(schemaOf(properties)).every(([key, each]) => {
    if (!Object.hasOwn(value, key)) return true;
    const { type: kind, const: fixed } = resolve(root, each);
    const item = Reflect.get(value, key) as unknown;
    if (fixed !== undefined && item !== fixed) return false;
    return (
      typeof kind !== 'string' || kind === kindOf(item) || (kind === 'integer' && Number.isInteger(item))
    );
  });
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function common(a: readonly string[], b: readonly string[]): readonly string[] {
  const both = new Set(b);
  return a.filter((path) => both.has(path));
}

function resolve(root: Schema, given: unknown): Schema {
  const schema = schemaOf(given);
  if (typeof schema.$ref !== 'string') return schema;
  const steps = schema.$ref.split('/').slice(1);
  return schemaOf(steps.reduce<unknown>((at, step) => schemaOf(at)[step], root));
}

function schemaOf(value: unknown): Schema {
  return typeof value === 'object' && value !== null ? (value as Schema) : NOTHING;
}

const NOTHING: Schema = {};

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

import type { Json } from '../core/json.ts';

interface Schema {
  const?: Json;
  enum?: Json[];
  type?: string | string[];
  properties?: Record<string, Json>;
  required?: string[];
  items?: Json;
}

const DEEPEST = 4;

/** A value of the kind that a JSON Schema asks for, to be put in place of; text where it says little. */
export function exampleOf(schema: Json | undefined, depth = 0): Json {
  const { const: only, enum: choices, type, properties = {}, required, items } = (schema ?? {}) as Schema;
  if (only !== undefined) return only;
  if (choices?.[0] !== undefined) return choices[0];
  switch (Array.isArray(type) ? type[0] : type) {
    case 'boolean':
      return true;
    case 'number':
    case 'integer':
      return 1;
    case 'null':
      return null;
    case 'array':
      return items === undefined || depth > DEEPEST ? [] : [exampleOf(items, depth + 1)];
    case 'object': {
      if (depth > DEEPEST) return {};
      const names = required ?? Object.keys(properties);
      return Object.fromEntries(names.map((name) => [name, exampleOf(properties[name], depth + 1)]));
    }
    default:
      return 'your answer';
  }
}

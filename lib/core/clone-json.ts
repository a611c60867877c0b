import type { Json } from './json.ts';

/** A copy that shares no part with the value, which nobody may change through it. */
export function cloneJson(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(cloneJson);
  // By entries, since a key may be `__proto__`.
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, cloneJson(each)]));
}

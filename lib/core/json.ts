import { StepfoldError } from './errors.ts';

/** A value that JSON carries without loss. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** How deep a value may nest; what is deeper is refused, because JSON encoders recurse. */
const MAX_DEPTH = 1_000;

/**
 * Refuses what JSON cannot carry and names the path of the first such value.
 *
 * @throws StepfoldError `not_json` naming the path, for example `$.rows[3].when`.
 */
export function assertJson(value: unknown): asserts value is Json {
  const problem = findUnrepresentable(value);
  if (problem) {
    throw new StepfoldError('not_json', `expected a value that JSON can carry, but ${problem}`);
  }
}

interface Visit {
  value: unknown;
  path: Path;
}

/** A linked path, so that walking a large value does not build a string for each of its nodes. */
interface Path {
  parent?: Path;
  key: string | number;
  depth: number;
}

const ROOT: Path = { key: '$', depth: 0 };

/** In words, the first value that JSON cannot carry, or undefined. Iterative: depth is a limit, not a crash. */
export function findUnrepresentable(root: unknown): string | undefined {
  const open: (Visit | { leave: object })[] = [{ value: root, path: ROOT }];
  const ancestors = new Set<object>();
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    if ('leave' in item) {
      ancestors.delete(item.leave);
      continue;
    }
    const { value, path } = item;
    if (value === null || typeof value === 'string' || typeof value === 'boolean') continue;
    if (typeof value === 'number' && Number.isFinite(value)) continue;
    if (typeof value !== 'object') return `${show(path)} is ${describe(value)}`;
    if (ancestors.has(value)) return `${show(path)} is a cycle`;
    if (path.depth >= MAX_DEPTH)
      return `${show(path).slice(0, 40)}… is nested deeper than ${MAX_DEPTH} levels`;
    if (!isPlain(value)) return `${show(path)} is a ${value.constructor?.name ?? 'object of a class'}`;
    ancestors.add(value);
    open.push({ leave: value });
    if (Array.isArray(value)) {
      // An index loop, because a hole must be seen as undefined.
      for (let i = value.length - 1; i >= 0; i--) {
        open.push({ value: value[i], path: { parent: path, key: i, depth: path.depth + 1 } });
      }
      continue;
    }
    for (const key of Object.keys(value).reverse()) {
      open.push({ value: Reflect.get(value, key), path: { parent: path, key, depth: path.depth + 1 } });
    }
  }
  return undefined;
}

function isPlain(value: object): boolean {
  if (Array.isArray(value)) return true;
  if (typeof Reflect.get(value, 'toJSON') === 'function') return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}

function describe(value: unknown): string {
  if (typeof value === 'number' || value === undefined) return String(value);
  return `a ${typeof value}`;
}

function show(path: Path): string {
  const parts: string[] = [];
  for (let at: Path | undefined = path; at; at = at.parent) {
    parts.push(at.parent ? (typeof at.key === 'number' ? `[${at.key}]` : `.${at.key}`) : '$');
  }
  return parts.reverse().join('');
}

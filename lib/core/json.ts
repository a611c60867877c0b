import { StepfoldError } from './errors.ts';

/** A value that JSON carries without loss. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** How deep a value may nest; what is deeper is refused, because JSON encoders recurse. */
export const MAX_DEPTH = 1_000;

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

/** A linked path, so that walking a large value does not build a string for each of its nodes. */
interface Path {
  parent?: Path;
  key: string | number;
  depth: number;
}

const ROOT: Path = { key: '$', depth: 0 };

interface Visit {
  value: unknown;
  path: Path;
  put: (copy: Json) => void;
}

/**
 * A copy of a value as plain JSON, or in words the first thing in it that JSON cannot carry. Each property is read once
 * and never again, so what was checked is what is kept, whatever getters or proxies say later. Never throws.
 */
export function copyJson(root: unknown): { value: Json } | { problem: string } {
  let copy: Json = null;
  const open: (Visit | { leave: object })[] = [
    {
      value: root,
      path: ROOT,
      put: (made) => {
        copy = made;
      },
    },
  ];
  const ancestors = new Set<object>();
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    if ('leave' in item) {
      ancestors.delete(item.leave);
      continue;
    }
    const problem = visit(item, { open, ancestors });
    if (problem !== undefined) return { problem };
  }
  return { value: copy };
}

/** In words, the first value that JSON cannot carry, or undefined. */
export function findUnrepresentable(root: unknown): string | undefined {
  const copied = copyJson(root);
  return 'problem' in copied ? copied.problem : undefined;
}

/** Iterative: depth is a limit, not a crash. */
function visit(
  { value, path, put }: Visit,
  { open, ancestors }: { open: (Visit | { leave: object })[]; ancestors: Set<object> },
): string | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return void put(value);
  if (typeof value === 'number' && Number.isFinite(value)) return void put(value);
  if (typeof value !== 'object') return `${show(path)} is ${describe(value)}`;
  if (ancestors.has(value)) return `${show(path)} is a cycle`;
  if (path.depth >= MAX_DEPTH) return `${show(path).slice(0, 40)}… is nested deeper than ${MAX_DEPTH} levels`;
  try {
    const kind = isPlain(value) ? undefined : (value.constructor?.name ?? 'object of a class');
    if (kind !== undefined) return `${show(path)} is a ${kind}`;
    ancestors.add(value);
    open.push({ leave: value });
    open.push(...children(value, path, put));
    return undefined;
  } catch {
    return `${show(path)} cannot be read`;
  }
}

function children(value: object, parent: Path, put: (copy: Json) => void): Visit[] {
  const depth = parent.depth + 1;
  if (Array.isArray(value)) {
    const copy: Json[] = [];
    put(copy);
    // Array.from sees a hole as undefined.
    return Array.from(value, (item: unknown, index) => ({
      value: item,
      path: { parent, key: index, depth },
      put: (made: Json) => {
        copy[index] = made;
      },
    })).reverse();
  }
  const copy: Record<string, Json> = {};
  put(copy);
  return Object.keys(value)
    .map((key) => ({
      value: Reflect.get(value, key) as unknown,
      path: { parent, key, depth },
      put: (made: Json) => define(copy, key, made),
    }))
    .reverse();
}

/** An assignment to `__proto__` would set the prototype. The order of keys is that of the original. */
function define(copy: Record<string, Json>, key: string, value: Json): void {
  Object.defineProperty(copy, key, { value, enumerable: true, configurable: true, writable: true });
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

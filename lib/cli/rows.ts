import type { Ref } from '../core/event-parts.ts';
import type { Json } from '../core/json.ts';
import type { Paint } from './paint.ts';
import { visible } from './visible.ts';

/** A label and what is said beside it; nothing is printed where there is nothing to say. */
export type Row = readonly [label: string, said: string | undefined];

const WIDTH = 10;

/** Rows under one another, their labels aligned; further lines stand under the first, so that no text passes for a row. */
export function rows(lines: readonly Row[], colour: Paint, indent = ''): string {
  const under = `\n${indent}${' '.repeat(WIDTH + 2)}`;
  return lines
    .flatMap(([label, said]) =>
      said === undefined
        ? []
        : [`${indent}${colour.dim(label.padEnd(WIDTH))}  ${said.replaceAll('\n', under)}\n`],
    )
    .join('');
}

/** A payload, or where it lies. */
export function payload(value: Json | undefined, ref: Ref | undefined): string | undefined {
  if (ref) return `${ref.bytes} bytes, ${ref.sha256}`;
  return value === undefined ? undefined : text(value);
}

/** Text keeps its lines; other values are JSON. Nothing is cut: who decides must see it all. */
export function text(value: Json): string {
  return typeof value === 'string' ? visible(value, { lines: true }) : visible(JSON.stringify(value));
}

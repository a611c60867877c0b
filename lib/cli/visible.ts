import type { Json } from '../core/json.ts';

/** C0, DEL and C1 controls, zero-width and direction marks, line separators: what can move a cursor or hide text. */
const UNSEEN = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** Text from outside as it may be printed to a terminal. `lines` keeps line breaks. */
export function visible(text: string, { lines = false }: { lines?: boolean } = {}): string {
  return text.replace(UNSEEN, (mark) => (lines && mark === '\n' ? mark : escaped(mark)));
}

/** One JSON value that no terminal misreads; it parses to the same value. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value).replace(UNSEEN, escaped);
}

/** A payload on one line, cut to a width. A string of letters is shown as itself. */
export function brief(value: Json | undefined, width = 100): string {
  const text = visible(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
  return text.length > width ? `${text.slice(0, width - 1)}…` : text;
}

function escaped(mark: string): string {
  if (mark === '\n') return '\\n';
  const units = Array.from({ length: mark.length }, (_, i) => mark.charCodeAt(i));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

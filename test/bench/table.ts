/** One figure of the bench, with what it must be and what it should be. */
export interface Figure {
  readonly figure: string;
  readonly measured: number;
  readonly must: number;
  readonly aim: number;
  /** More is better. */
  readonly atLeast?: boolean;
  readonly note?: string;
}

/** A Markdown table. */
export function tableOf(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => {
    const { measured, must, aim, atLeast = false } = figure;
    const sign = atLeast ? '≥' : '≤';
    return [
      figure.figure,
      show(measured),
      `${sign} ${must}`,
      `${sign} ${aim}`,
      verdictOf(figure),
      figure.note ?? '',
    ];
  });
  const all = [['figure', 'measured', 'must', 'aim', '', 'note'], ...rows];
  const widths = (all[0] ?? []).map((_, column) =>
    Math.max(3, ...all.map((row) => (row[column] ?? '').length)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`;
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  return [line(all[0] ?? []), rule, ...rows.map(line)].join('\n');
}

function verdictOf({ measured, must, aim, atLeast = false }: Figure): string {
  const within = (limit: number) => (atLeast ? measured >= limit : measured <= limit);
  if (within(aim)) return 'aim met';
  return within(must) ? 'must met' : 'missed';
}

function show(value: number): string {
  return value >= 10 ? value.toFixed(1) : value.toFixed(3);
}

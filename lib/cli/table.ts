/** Rows under headings, columns aligned. Cells are plain text on one line; `style` paints a cell after it was aligned. */
export function table(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  style: (cell: string, column: number) => string = (cell) => cell,
): string {
  const widths = headings.map((heading, i) =>
    Math.max(heading.length, ...rows.map((row) => (row[i] ?? '').length)),
  );
  const line = (cells: readonly string[], dress: (cell: string, column: number) => string) =>
    cells
      .map((cell, i) => dress(cell, i) + ' '.repeat((widths[i] ?? 0) - cell.length))
      .join('  ')
      .trimEnd();
  return [line(headings, (cell) => cell), ...rows.map((row) => line(row, style))]
    .map((text) => `${text}\n`)
    .join('');
}

/** A sentence that names what was probably meant, or nothing where nothing is near. */
export function didYouMean(given: string, known: readonly string[]): string {
  const near = nearest(given, known);
  return near ? ` Did you mean ${near}?` : '';
}

/** The known name that takes the fewest edits, if they are few for its length. */
export function nearest(given: string, known: readonly string[]): string | undefined {
  let best: { name: string; edits: number } | undefined;
  for (const name of known) {
    const edits = name.startsWith(given) && given.length > 1 ? 1 : distance(given.slice(0, 64), name);
    if (
      edits <= Math.max(1, Math.floor(name.length / 3)) &&
      edits < (best?.edits ?? Number.POSITIVE_INFINITY)
    )
      best = { name, edits };
  }
  return best?.name;
}

/** Edits between two words, a swap of neighbours counting as one. */
function distance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  const at = (i: number, j: number) => rows[i]?.[j] ?? 0;
  for (let i = 1; i <= a.length; i++) {
    rows[i] = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
          ? at(i - 2, j - 2) + 1
          : Number.POSITIVE_INFINITY;
      const change = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      rows[i]?.push(Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, change, swap));
    }
  }
  return at(a.length, b.length);
}

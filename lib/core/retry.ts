const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;

/**
 * How long to wait after the n-th failed attempt, in ms: 1 s doubling to 60 s, the upper half of it by chance.
 *
 * @param random in [0, 1)
 */
export function retryDelay(attempt: number, random: number): number {
  const full = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempt - 1, 16));
  return Math.round(full / 2 + (full / 2) * random);
}

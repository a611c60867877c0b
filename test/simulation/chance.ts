/** Chance that is the same for the same seed. */
export interface Chance {
  /** A whole number from 0 up to `below`, exclusive. */
  int(below: number): number;
  /** Whether something of this probability happens. */
  happens(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
}

export function chanceOf(seed: number): Chance {
  let state = Math.imul(seed, 2_654_435_761);
  const next = () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x297a2d39) | 0;
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32;
  };
  for (let n = 0; n < 5; n++) next();
  return {
    int: (below) => Math.floor(next() * below),
    happens: (probability) => next() < probability,
    pick: (list) => list[Math.floor(next() * list.length)] as never,
  };
}

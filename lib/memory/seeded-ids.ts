import type { Clock, Ids } from '../ports/world.ts';

const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/**
 * Ids in the form of a ulid, the same for the same seed and clock: time, then a count that makes each unique and keeps
 * those of one millisecond in order, then random digits.
 */
export function seededIds(seed: number, clock: Clock): Ids {
  const random = mulberry32(seed);
  let count = 0;
  return {
    fresh: () => base32(clock.now(), 10) + base32(count++, 8) + base32(Math.floor(random() * 2 ** 32), 8),
    random,
  };
}

function base32(value: number, length: number): string {
  let digits = '';
  for (let rest = value; digits.length < length; rest = Math.floor(rest / 32))
    digits = DIGITS[rest % 32] + digits;
  return digits;
}

/** The mulberry32 generator: 32 bits of state, numbers in [0, 1). */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

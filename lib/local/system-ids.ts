import { randomBytes } from 'node:crypto';
import { monotonicFactory } from 'ulid';
import type { Clock, Ids } from '../ports/world.ts';

/** Ulids that keep the order in which one process makes them. */
export function systemIds(clock: Clock): Ids {
  const next = monotonicFactory(pooledRandom());
  return { fresh: () => next(clock.now()), random: () => Math.random() };
}

const POOL_BYTES = 4_096;

/** Numbers in [0, 1), one from each random byte; asking the system for many at once is cheap. */
function pooledRandom(): () => number {
  let pool = Buffer.alloc(0);
  let used = 0;
  return () => {
    if (used === pool.length) {
      pool = randomBytes(POOL_BYTES);
      used = 0;
    }
    return (pool[used++] ?? 0) / 256;
  };
}

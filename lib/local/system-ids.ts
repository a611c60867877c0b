import { monotonicFactory } from 'ulid';
import type { Clock, Ids } from '../ports/world.ts';

/** Ulids that keep the order in which one process makes them. */
export function systemIds(clock: Clock): Ids {
  const next = monotonicFactory();
  return { fresh: () => next(clock.now()), random: () => Math.random() };
}

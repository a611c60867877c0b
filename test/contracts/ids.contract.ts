import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Ids } from '../../lib/ports/world.ts';
import type { Open } from './open.ts';

/** What every source of ids does. */
export function idsContract(name: string, open: Open<'ids'>): void {
  describe(`ids: ${name}`, () => {
    let ids: Ids;
    let close: () => Promise<void>;

    beforeEach(async () => {
      const opened = await open();
      ids = opened.world.ids;
      close = opened.close;
    });
    afterEach(() => close());

    test('fresh ids are letters and digits, in order, and none comes twice', () => {
      const made = Array.from({ length: 10_000 }, () => ids.fresh());
      expect(made.every((id) => /^[0-9A-Z]{26}$/.test(id))).toBe(true);
      expect(new Set(made).size).toBe(made.length);
      expect(made.toSorted()).toEqual(made);
    });

    test('random numbers lie in [0, 1) and are spread over it', () => {
      const made = Array.from({ length: 10_000 }, () => ids.random());
      expect(made.every((number) => number >= 0 && number < 1)).toBe(true);
      const tenths = Array.from(
        { length: 10 },
        (_, i) => made.filter((n) => Math.floor(n * 10) === i).length,
      );
      for (const count of tenths) expect(count).toBeGreaterThan(800);
    });
  });
}

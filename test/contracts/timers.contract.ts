import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Timers } from '../../lib/ports/timers.ts';
import type { Message } from '../../lib/ports/wakes.ts';
import type { Clock } from '../../lib/ports/world.ts';
import { freshRun } from './open.ts';
import { receive, type WithDelivery } from './wakes.contract.ts';

/** What all timers do. */
export function timersContract(name: string, open: () => Promise<WithDelivery>): void {
  describe(`timers: ${name}`, () => {
    let opened: WithDelivery;
    let timers: Timers;
    let clock: Clock;

    beforeEach(async () => {
      opened = await open();
      ({ timers, clock } = opened.world);
    });
    afterEach(() => opened.close());

    test('a timer sends its wake to its lane, not before its time', async () => {
      const wake = { ...freshRun(), interruptId: 'int-1' };
      const at = clock.now() + 60;
      await timers.arm({ name: 'a', at, wake, lane: 'settle' });
      const received: [Message, number][] = [];
      await opened.deliver(1, async (message) => void received.push([message, clock.now()]));
      expect(received[0]![0]).toMatchObject({ wake, lane: 'settle', receives: 1 });
      expect(received[0]![1]).toBeGreaterThanOrEqual(at);
    });

    test('a timer in the past fires at once', async () => {
      await timers.arm({ name: 'a', at: clock.now() - 1_000_000, wake: freshRun(), lane: 'fast' });
      expect(await receive(opened, 1)).toHaveLength(1);
    });

    test('arming a name that exists succeeds and changes nothing', async () => {
      const first = { ...freshRun(), action: 'first' };
      await timers.arm({ name: 'a', at: clock.now() + 80, wake: first, lane: 'fast' });
      await timers.arm({
        name: 'a',
        at: clock.now() + 20,
        wake: { ...first, action: 'second' },
        lane: 'fast',
      });
      await timers.arm({
        name: 'b',
        at: clock.now() + 120,
        wake: { ...first, action: 'other' },
        lane: 'fast',
      });
      expect((await receive(opened, 2)).map(({ wake }) => wake.action)).toEqual(['first', 'other']);
    });

    test('a timer may be years off, and does not come early for that', async () => {
      await timers.arm({
        name: 'far',
        at: clock.now() + 10 * 365 * 86_400_000,
        wake: freshRun(),
        lane: 'fast',
      });
      const near = { ...freshRun(), action: 'near' };
      await timers.arm({ name: 'near', at: clock.now() + 50, wake: near, lane: 'fast' });
      expect((await receive(opened, 1)).map(({ wake }) => wake)).toEqual([near]);
    });
  });
}

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MAX_DELAY_MS, type Message, type Wakes } from '../../lib/ports/wakes.ts';
import type { Clock } from '../../lib/ports/world.ts';
import { freshRun, type Opened } from './open.ts';

/** A world whose messages are received by the test. */
export interface WithDelivery extends Opened<'wakes' | 'timers' | 'clock'> {
  /**
   * Hands messages to `handler` as time passes, and again those for which it rejected, until `count` deliveries were made.
   */
  deliver(count: number, handler: (message: Message) => Promise<void>): Promise<void>;
}

/** The next `count` messages, acknowledged. */
export async function receive(opened: WithDelivery, count: number): Promise<Message[]> {
  const received: Message[] = [];
  await opened.deliver(count, async (message) => void received.push(message));
  return received;
}

/** What every queue of wakes does. */
export function wakesContract(name: string, open: () => Promise<WithDelivery>): void {
  describe(`wakes: ${name}`, () => {
    let opened: WithDelivery;
    let wakes: Wakes;
    let clock: Clock;

    beforeEach(async () => {
      opened = await open();
      ({ wakes, clock } = opened.world);
    });
    afterEach(() => opened.close());

    test('a wake is received as it was sent, on its lane, for the first time', async () => {
      const wake = {
        ...freshRun(),
        news: true,
        manifest: 7,
        action: 'tool 1.0',
        watch: [1, 2],
        swept: true,
      } as const;
      await wakes.send(wake, { lane: 'long' });
      expect(await receive(opened, 1)).toEqual([
        { messageId: expect.any(String), wake, lane: 'long', receives: 1 },
      ]);
    });

    test('each send is a message of its own', async () => {
      const wake = freshRun();
      for (const lane of ['fast', 'long', 'settle'] as const) await wakes.send(wake, { lane });
      const received = await receive(opened, 3);
      expect(new Set(received.map(({ messageId }) => messageId)).size).toBe(3);
      expect(received.map(({ lane }) => lane).sort()).toEqual(['fast', 'long', 'settle']);
    });

    test('what is received does not change with the object that was sent', async () => {
      const wake = { ...freshRun(), watch: [3] };
      await wakes.send(wake, { lane: 'fast' });
      wake.watch.push(4);
      const [received] = await receive(opened, 1);
      expect(received!.wake.watch).toEqual([3]);
    });

    test('a message that is not acknowledged comes again, counted, until it is', async () => {
      await wakes.send(freshRun(), { lane: 'fast' });
      const received: Message[] = [];
      await opened.deliver(2, async (message) => {
        received.push(message);
        if (message.receives === 1) throw new Error('this worker fails');
      });
      expect(received.map(({ receives }) => receives)).toEqual([1, 2]);
      expect(received[1]!.messageId).toBe(received[0]!.messageId);
      await wakes.send(freshRun(), { lane: 'fast' });
      const [next] = await receive(opened, 1);
      expect(next!.messageId).not.toBe(received[0]!.messageId);
    });

    test('a delayed wake does not come before its time', async () => {
      const from = clock.now();
      await wakes.send({ ...freshRun(), action: 'later' }, { lane: 'fast', delayMs: 120 });
      await wakes.send({ ...freshRun(), action: 'at once' }, { lane: 'fast', delayMs: 0 });
      const times: [string | undefined, number][] = [];
      await opened.deliver(2, async ({ wake }) => void times.push([wake.action, clock.now() - from]));
      expect(times.map(([action]) => action)).toEqual(['at once', 'later']);
      expect(times[1]![1]).toBeGreaterThanOrEqual(120);
    });

    test.each([-1, Number.NaN, MAX_DELAY_MS + 1])('a delay of %d ms is refused', async (delayMs) => {
      await expect(wakes.send(freshRun(), { lane: 'fast', delayMs })).rejects.toMatchObject({
        code: 'bad_delay',
      });
    });

    test('the longest delay is taken', async () => {
      await wakes.send(freshRun(), { lane: 'fast', delayMs: MAX_DELAY_MS });
    });
  });
}

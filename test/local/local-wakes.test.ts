import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createAlarms } from '../../lib/local/alarms.ts';
import { localTimers } from '../../lib/local/local-timers.ts';
import { localWakes } from '../../lib/local/local-wakes.ts';
import { systemClock as clock } from '../../lib/local/system-clock.ts';
import { systemIds } from '../../lib/local/system-ids.ts';
import type { Message, Wake } from '../../lib/ports/wakes.ts';

function openWakes(concurrency = 16) {
  const alarms = createAlarms(clock);
  const wakes = localWakes({ clock, ids: systemIds(clock), alarms, concurrency });
  const send = (wake: Partial<Wake>, delayMs = 0) =>
    wakes.send({ tenant: 'tenant', runId: 'run', ...wake }, { lane: 'fast', delayMs });
  return { ...wakes, send, alarms, timers: localTimers({ alarms, wakes }) };
}

/** Handlers that are held until the test lets them go, and the order in which they began. */
function heldHandlers() {
  const begun: { message: Message; end: () => void }[] = [];
  const handler = (message: Message) => new Promise<void>((end) => begun.push({ message, end }));
  return { begun, handler, runIds: () => begun.map(({ message }) => message.wake.runId) };
}

describe('the worker pool', () => {
  test('at most `concurrency` handlers work at once, and the next begins when one ends', async () => {
    const wakes = openWakes(3);
    const { begun, handler } = heldHandlers();
    for (let i = 0; i < 8; i++) await wakes.send({ runId: `run ${i}` });
    wakes.start(handler);
    for (let ended = 0; ended < 8; ended++) {
      const expected = Math.min(ended + 3, 8);
      await vi.waitUntil(() => begun.length === expected);
      await turns(3);
      expect(begun).toHaveLength(expected);
      begun[ended]!.end();
    }
    await wakes.close(1_000);
  });

  test('a handler that sends wakes while it begins does not let more than `concurrency` begin', async () => {
    const wakes = openWakes(2);
    let working = 0;
    let most = 0;
    let handled = 0;
    wakes.start(async ({ wake }) => {
      most = Math.max(most, ++working);
      if (wake.runId === 'first') for (let i = 0; i < 6; i++) void wakes.send({ runId: `run ${i}` });
      await turns(2);
      working--;
      handled++;
    });
    await wakes.send({ runId: 'first' });
    await vi.waitUntil(() => handled === 7);
    expect(most).toBe(2);
    await wakes.close(1_000);
  });

  test('a run with many wakes does not keep another from its turn', async () => {
    const wakes = openWakes(2);
    const { begun, handler, runIds } = heldHandlers();
    wakes.start(handler);
    for (let i = 0; i < 50; i++) await wakes.send({ runId: 'busy' });
    await vi.waitUntil(() => begun.length === 2);
    await wakes.send({ runId: 'late' });
    begun[0]!.end();
    await vi.waitUntil(() => begun.length === 3);
    expect(runIds()).toEqual(['busy', 'busy', 'late']);
    for (const { end } of begun) end();
    await wakes.close(1_000);
  });

  test('handlers that have ended do not count against their run', async () => {
    const wakes = openWakes(1);
    const { begun, handler, runIds } = heldHandlers();
    wakes.start(handler);
    for (let i = 0; i < 3; i++) {
      await wakes.send({ runId: 'early' });
      await vi.waitUntil(() => begun.length === i + 1);
      begun[i]!.end();
    }
    await wakes.send({ runId: 'other' });
    await vi.waitUntil(() => begun.length === 4);
    await wakes.send({ runId: 'early' });
    await wakes.send({ runId: 'late' });
    for (const next of [4, 5]) {
      begun[next - 1]!.end();
      await vi.waitUntil(() => begun.length === next + 1);
    }
    expect(runIds()).toEqual(['early', 'early', 'early', 'other', 'early', 'late']);
    begun[5]!.end();
    await wakes.close(1_000);
  });

  test('handlers that never wait do not keep timers and requests from theirs', async () => {
    const wakes = openWakes();
    let handled = 0;
    wakes.start(async () => {
      handled++;
      void wakes.send({});
    });
    await wakes.send({});
    await new Promise((resolve) => setTimeout(resolve, 1));
    expect(handled).toBeGreaterThan(0);
    await wakes.close(1_000);
  });

  test('messages that came before the start wait for it; a second start is refused', async () => {
    const wakes = openWakes();
    await wakes.send({ runId: 'early' });
    const { begun, handler, runIds } = heldHandlers();
    wakes.start(handler);
    await vi.waitUntil(() => begun.length === 1);
    expect(runIds()).toEqual(['early']);
    expect(() => wakes.start(handler)).toThrow(expect.objectContaining({ code: 'already_started' }));
    begun[0]!.end();
    await wakes.close(1_000);
  });

  test('closing takes no new messages and waits for the handlers at work', async () => {
    const wakes = openWakes(1);
    const { begun, handler } = heldHandlers();
    wakes.start(handler);
    await wakes.send({ runId: 'a' });
    await wakes.send({ runId: 'b' });
    await vi.waitUntil(() => begun.length === 1);
    let closed = false;
    const closing = wakes.close(10_000).then(() => {
      closed = true;
    });
    await turns(5);
    expect(closed).toBe(false);
    begun[0]!.end();
    await closing;
    await wakes.send({ runId: 'c' });
    await turns(5);
    expect(begun).toHaveLength(1);
  });

  test('closing gives up after a while, says so, and may be tried again', async () => {
    const wakes = openWakes();
    const { begun, handler } = heldHandlers();
    wakes.start(handler);
    await wakes.send({});
    await vi.waitUntil(() => begun.length === 1);
    await expect(wakes.close(20)).rejects.toMatchObject({ code: 'close_timed_out' });
    begun[0]!.end();
    await wakes.close(1_000);
  });
});

describe('time', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('a message whose handler rejects comes again after 1 s, doubling to 30 s', async () => {
    const wakes = openWakes();
    const times: number[] = [];
    const start = Date.now();
    wakes.start(async ({ receives }) => {
      times.push((Date.now() - start) / 1_000);
      if (receives === 9) return;
      if (receives % 2 === 0) throw new Error('this worker fails');
      await Promise.reject(new Error('this worker fails later'));
    });
    await wakes.send({});
    for (let second = 0; second < 400; second++) {
      await turns(3);
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(times).toEqual([0, 1, 3, 7, 15, 31, 61, 91, 121]);
    await wakes.close(0);
  });

  test('a timer fires at its time, also beyond the 2^31 ms that setTimeout can count', async () => {
    const wakes = openWakes();
    const at = Date.now() + 2 ** 31 + 90_000;
    let fired: number | undefined;
    wakes.start(async () => {
      fired = Date.now();
    });
    await wakes.timers.arm({ name: 'far', at, wake: { tenant: 'tenant', runId: 'run' }, lane: 'fast' });
    await vi.advanceTimersByTimeAsync(2 ** 31 + 89_999);
    await turns(3);
    expect(fired).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    await turns(3);
    expect(fired).toBe(at);
    await wakes.close(0);
  });

  test('a machine that slept over a timer hears it within a minute', async () => {
    const wakes = openWakes();
    let fired = false;
    wakes.start(async () => {
      fired = true;
    });
    const wake = { tenant: 'tenant', runId: 'run' };
    await wakes.timers.arm({ name: 'a', at: Date.now() + 3_600_000, wake, lane: 'fast' });
    vi.setSystemTime(Date.now() + 7_200_000);
    await vi.advanceTimersByTimeAsync(60_000);
    await turns(3);
    expect(fired).toBe(true);
    await wakes.close(0);
  });

  test('the name of a timer that has fired is free again', async () => {
    const wakes = openWakes();
    let fired = 0;
    wakes.start(async () => {
      fired++;
    });
    for (const expected of [1, 2]) {
      const wake = { tenant: 'tenant', runId: 'run' };
      await wakes.timers.arm({ name: 'a', at: Date.now() + 10, wake, lane: 'fast' });
      await vi.advanceTimersByTimeAsync(10);
      await turns(3);
      expect(fired).toBe(expected);
    }
    await wakes.close(0);
  });

  test('closed alarms ring no more', async () => {
    const alarms = createAlarms(clock);
    let rung = false;
    const ring = () => {
      rung = true;
    };
    alarms.at(Date.now() + 10, ring);
    alarms.close();
    alarms.at(Date.now() + 10, ring);
    await vi.advanceTimersByTimeAsync(100);
    expect(rung).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });
});

/** Lets the event loop turn, so that what could begin has begun. */
async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
}

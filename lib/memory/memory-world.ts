import type { Notice } from '../ports/notifier.ts';
import type { Lane } from '../ports/wakes.ts';
import type { World } from '../ports/world.ts';
import { memoryBlobs } from './memory-blobs.ts';
import { memoryDecisions } from './memory-decisions.ts';
import { memoryEventLog } from './memory-event-log.ts';
import { memoryInbox } from './memory-inbox.ts';
import { memoryNotifier } from './memory-notifier.ts';
import { memoryRunIndex } from './memory-run-index.ts';
import { type MemoryTimers, memoryTimers } from './memory-timers.ts';
import { type MemoryWakes, memoryWakes, VISIBILITY_MS } from './memory-wakes.ts';
import { seededIds } from './seeded-ids.ts';
import { virtualClock } from './virtual-clock.ts';

export interface MemoryWorldOptions {
  /** Equal seeds give equal ids and random numbers. @default 1 */
  seed?: number;
  /** The time at which the clock begins, in ms since the epoch. @default 2026-01-01T00:00:00.000Z */
  start?: number;
  /** `fence.margin`, in ms. @default 30_000 */
  margin?: number;
  /** How long a received message stays hidden. @default fast 50 s, long 210 s, settle 50 s */
  visibilityMs?: Readonly<Record<Lane, number>>;
}

/** A world without real time or chance: nothing happens in it but what its driver makes happen. */
export interface MemoryWorld
  extends World,
    Pick<MemoryWakes, 'receive' | 'acknowledge' | 'release' | 'pending'>,
    Pick<MemoryTimers, 'armed'> {
  /** Moves the clock, never back, and fires the timers that this makes due. */
  advanceTo(ms: number): void;
  /** The earliest time at which a message becomes visible or a timer fires; in the past where one is visible now. */
  nextAt(): number | undefined;
  /** Everything that people were told, repetitions included. */
  notices(): Notice[];
}

export function createMemoryWorld(options: MemoryWorldOptions = {}): MemoryWorld {
  const clock = virtualClock(options.start ?? Date.UTC(2026, 0, 1));
  const ids = seededIds(options.seed ?? 1, clock);
  const wakes = memoryWakes({ clock, ids, visibilityMs: options.visibilityMs ?? VISIBILITY_MS });
  const timers = memoryTimers({ clock, wakes });
  const notifier = memoryNotifier();

  return {
    log: memoryEventLog(),
    index: memoryRunIndex(),
    inbox: memoryInbox(),
    decisions: memoryDecisions(),
    blobs: memoryBlobs(),
    wakes,
    timers,
    notifier,
    clock,
    ids,
    fence: { margin: options.margin ?? 30_000 },

    receive: wakes.receive,
    acknowledge: wakes.acknowledge,
    release: wakes.release,
    pending: wakes.pending,
    armed: timers.armed,
    notices: notifier.notices,
    advanceTo(ms) {
      clock.advanceTo(ms);
      timers.fire();
    },
    nextAt() {
      const times = [wakes.pending()[0]?.visibleAt, timers.armed()[0]?.at].filter((at) => at !== undefined);
      return times.length > 0 ? Math.min(...times) : undefined;
    },
  };
}

import { setImmediate as nextTurn } from 'node:timers/promises';
import { StepfoldError } from '../core/errors.ts';
import { MAX_DELAY_MS, type Message, type Wakes } from '../ports/wakes.ts';
import type { Clock, Ids } from '../ports/world.ts';
import type { Alarms } from './alarms.ts';
import { createFairQueue } from './fair-queue.ts';

/** The wait before a message comes again: doubling from the first to the last, in ms. */
const FIRST_BACK_OFF_MS = 1_000;
const LAST_BACK_OFF_MS = 30_000;

export type Handler = (message: Message) => Promise<void>;

/** Wakes in the memory of this process, and the pool of workers that handles them. They die with the process. */
export interface LocalWakes extends Wakes {
  /** Begins to hand messages to `handler`, which acknowledges by returning. One that rejects gets the message again. */
  start(handler: Handler): void;
  /**
   * Hands out no more messages and waits for the handlers that are at work.
   *
   * @throws StepfoldError `close_timed_out` if some still are after `waitMs`.
   */
  close(waitMs: number): Promise<void>;
}

/** At most `concurrency` handlers work at once, and no run keeps the others from their turn. */
export function localWakes(options: {
  clock: Clock;
  ids: Ids;
  alarms: Alarms;
  concurrency: number;
}): LocalWakes {
  const { clock, ids, alarms, concurrency } = options;
  const queue = createFairQueue<Message>();
  const working = new Set<Promise<void>>();
  let handler: Handler | undefined;
  let closing = false;

  function enqueue(message: Message): void {
    queue.push(lineOf(message), message);
    handOut();
  }

  function enqueueAfter(delayMs: number, message: Message): void {
    if (delayMs === 0) enqueue(message);
    else alarms.at(clock.now() + delayMs, () => enqueue(message));
  }

  function handOut(): void {
    while (handler && !closing && working.size < concurrency) {
      const message = queue.take();
      if (!message) return;
      const work = handle(handler, { ...message, receives: message.receives + 1 }).finally(() => {
        working.delete(work);
        queue.done(lineOf(message));
        handOut();
      });
      working.add(work);
    }
  }

  async function handle(handler: Handler, message: Message): Promise<void> {
    // A turn of the event loop for each: handlers that never wait for I/O must not keep timers and requests from theirs.
    await nextTurn();
    try {
      await handler(message);
    } catch {
      // A handler reports its own failures; here a failure only means that the message comes again.
      enqueueAfter(backOffMs(message.receives), message);
    }
  }

  return {
    async send(wake, { lane, delayMs = 0 }) {
      if (!(delayMs >= 0 && delayMs <= MAX_DELAY_MS)) {
        throw new StepfoldError('bad_delay', `expected a delay of 0 to ${MAX_DELAY_MS} ms; got ${delayMs}`);
      }
      enqueueAfter(delayMs, {
        messageId: ids.fresh(),
        wake: { ...wake, ...(wake.watch && { watch: [...wake.watch] }) },
        lane,
        receives: 0,
      });
    },

    start(first) {
      if (handler)
        throw new StepfoldError('already_started', 'expected one start of the workers; got a second');
      handler = first;
      handOut();
    },

    async close(waitMs) {
      closing = true;
      const { promise: timedOut, resolve } = Promise.withResolvers<void>();
      const timeout = setTimeout(resolve, waitMs);
      await Promise.race([Promise.all(working), timedOut]);
      clearTimeout(timeout);
      if (working.size === 0) return;
      throw new StepfoldError(
        'close_timed_out',
        `expected all workers to end within ${waitMs} ms; ${working.size} are still at work. ` +
          'The data directory stays locked until they have ended and close is called again, or this process has ended.',
        { details: { working: working.size, waitMs } },
      );
    },
  };
}

/** Each run waits in a line of its own. */
function lineOf({ wake }: Message): string {
  return JSON.stringify([wake.tenant, wake.runId]);
}

function backOffMs(receives: number): number {
  return Math.min(FIRST_BACK_OFF_MS * 2 ** (receives - 1), LAST_BACK_OFF_MS);
}

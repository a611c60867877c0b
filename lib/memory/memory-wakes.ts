import { StepfoldError } from '../core/errors.ts';
import { type Lane, MAX_DELAY_MS, type Message, type Wake, type Wakes } from '../ports/wakes.ts';
import type { Clock, Ids } from '../ports/world.ts';

/** How long a received message stays hidden from others, in ms: the time limit of its lane's function + 30 s. */
export const VISIBILITY_MS: Readonly<Record<Lane, number>> = { fast: 50_000, long: 210_000, settle: 50_000 };

/** A message and the receipt of this very delivery. */
interface Delivery extends Message {
  readonly receipt: string;
}

/** A message that was not acknowledged, and when it can be received (again). */
interface PendingMessage extends Message {
  readonly visibleAt: number;
}

/** An at-least-once queue that moves only when it is driven. */
export interface MemoryWakes extends Wakes {
  /** The visible message that became visible first; it is then hidden for its lane's visibility timeout. */
  receive(): Delivery | undefined;
  /** Removes the message, unless it has been delivered again since. */
  acknowledge(receipt: string): void;
  /** Makes the message visible at once, unless it has been delivered again since. */
  release(receipt: string): void;
  /** Everything that was sent and not acknowledged, in the order of its visibility. */
  pending(): PendingMessage[];
  /** Puts a message that becomes visible at a time, however far off. */
  sendAt(wake: Wake, options: { lane: Lane; at: number }): void;
}

interface Stored {
  readonly messageId: string;
  readonly text: string;
  readonly lane: Lane;
  receives: number;
  visibleAt: number;
  receipt?: string;
}

export function memoryWakes(options: {
  clock: Clock;
  ids: Ids;
  visibilityMs: Readonly<Record<Lane, number>>;
}): MemoryWakes {
  const { clock, ids, visibilityMs } = options;
  let messages: Stored[] = [];
  const inOrder = () => messages.toSorted((a, b) => a.visibleAt - b.visibleAt);

  const queue: MemoryWakes = {
    async send(wake, { lane, delayMs = 0 }) {
      if (!(delayMs >= 0 && delayMs <= MAX_DELAY_MS)) {
        throw new StepfoldError('bad_delay', `expected a delay of 0 to ${MAX_DELAY_MS} ms; got ${delayMs}`);
      }
      queue.sendAt(wake, { lane, at: clock.now() + delayMs });
    },

    sendAt(wake, { lane, at }) {
      messages.push({ messageId: ids.fresh(), text: JSON.stringify(wake), lane, receives: 0, visibleAt: at });
    },

    receive() {
      const next = inOrder()[0];
      if (!next || next.visibleAt > clock.now()) return undefined;
      next.receives++;
      next.visibleAt = clock.now() + visibilityMs[next.lane];
      next.receipt = ids.fresh();
      return { ...asMessage(next), receipt: next.receipt };
    },

    acknowledge(receipt) {
      messages = messages.filter((message) => message.receipt !== receipt);
    },

    release(receipt) {
      const message = messages.find((candidate) => candidate.receipt === receipt);
      if (message) message.visibleAt = clock.now();
    },

    pending: () => inOrder().map((message) => ({ ...asMessage(message), visibleAt: message.visibleAt })),
  };
  return queue;
}

function asMessage({ messageId, text, lane, receives }: Stored): Message {
  return { messageId, wake: JSON.parse(text) as Wake, lane, receives };
}

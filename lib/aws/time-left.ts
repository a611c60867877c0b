import { AsyncLocalStorage } from 'node:async_hooks';

interface Invocation {
  readonly endsAt: number;
  readonly signal: AbortSignal;
}

const invocations = new AsyncLocalStorage<Invocation>();

/**
 * Does work whose requests to AWS, and the waits between their tries, end at a time (ms since the epoch) and do not begin
 * after it. What was suspended with its invocation and wakes up in a later one thus writes and sends nothing.
 */
export async function within<T>(endsAt: number, work: () => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), endsAt - Date.now());
  try {
    return await invocations.run({ endsAt, signal: controller.signal }, work);
  } finally {
    clearTimeout(timer);
  }
}

/** The signal that ends the requests of this invocation; undefined where nothing ends them. */
export function timeLeft(): AbortSignal | undefined {
  const invocation = invocations.getStore();
  if (!invocation) return undefined;
  return Date.now() < invocation.endsAt ? invocation.signal : AbortSignal.abort();
}

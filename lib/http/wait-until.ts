import { setTimeout as sleep } from 'node:timers/promises';

const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 100;

/**
 * Looks again and again until the look says that it is enough, the time is over, or the client goes away; gives what
 * was seen last. A look must be cheap.
 */
export async function waitUntil<T>(
  look: (seen: T | undefined) => Promise<T>,
  options: { enough: (seen: T) => boolean; seconds: number; signal: AbortSignal },
): Promise<T> {
  const end = performance.now() + options.seconds * 1_000;
  let seen = await look(undefined);
  for (let pause = FIRST_PAUSE_MS; !options.enough(seen); pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)) {
    const left = end - performance.now();
    if (left <= 0) break;
    await sleep(Math.min(pause, left), undefined, { signal: options.signal }).catch(() => undefined);
    if (options.signal.aborted) break;
    seen = await look(seen);
  }
  return seen;
}

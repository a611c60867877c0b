import type { RunKey } from '../ports/run-key.ts';
import type { Runtime } from './runtime.ts';

/** A crash between the put and its wake costs this much, and not a sweep. */
const SAFETY_MS = 60_000;
/** A put may begin only while the delayed wake has certainly not been seen. */
const PUT_WITHIN_MS = 30_000;

/** How the outside writes: a delayed wake first, then the put, then a wake. */
export async function putFromOutside<T>(rt: Runtime, run: RunKey, put: () => Promise<T>): Promise<T> {
  const { wakes, clock } = rt.world;
  const wake = { tenant: run.tenant, runId: run.runId, news: true as const };
  let sentAt: number;
  do {
    sentAt = clock.now();
    await wakes.send(wake, { lane: 'fast', delayMs: SAFETY_MS });
  } while (clock.now() - sentAt > PUT_WITHIN_MS);
  const result = await put();
  await wakes.send(wake, { lane: 'fast' });
  return result;
}

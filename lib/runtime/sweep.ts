import { LOOK_AGAIN_MS } from './header.ts';
import type { Runtime } from './runtime.ts';

const PAGE = 100;
const MOST = 1_000;

/**
 * Looks after runs whose `wakeAt` has passed: sends each one wake, which is harmless where it was not needed, and moves
 * `wakeAt` unless somebody has written the row meanwhile. Answers how many runs were woken.
 */
export async function sweep(rt: Runtime): Promise<number> {
  const { index, wakes, clock } = rt.world;
  let woken = 0;
  while (woken < MOST) {
    const now = clock.now();
    const due = await index.due(now, PAGE);
    for (const { tenant, runId, seq } of due) {
      const run = { tenant, runId };
      await wakes.send({ ...run, news: true, swept: true }, { lane: 'fast' });
      await index.moveWakeAt(run, seq, now + LOOK_AGAIN_MS);
    }
    woken += due.length;
    if (due.length < PAGE) break;
  }
  return woken;
}

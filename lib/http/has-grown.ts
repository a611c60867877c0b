import type { RunKey } from '../ports/run-key.ts';
import type { Runtime } from '../runtime/runtime.ts';

/** Whether a log has an event after this seq: one small read, for those who wait. */
export async function hasGrown({ world }: Runtime, run: RunKey, seq: number): Promise<boolean> {
  return (await world.log.read(run, { after: seq, limit: 1 })).length > 0;
}

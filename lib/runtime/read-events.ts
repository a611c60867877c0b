import { StepfoldError } from '../core/errors.ts';
import type { Event } from '../core/events.ts';
import type { RunKey } from '../ports/run-key.ts';
import { knownRun } from './known-run.ts';
import { parseEvents } from './load-run.ts';
import { fetchBlob } from './payloads.ts';
import type { Runtime } from './runtime.ts';

/**
 * The events of a run with a seq greater than `after`, at most `limit`.
 *
 * @throws StepfoldError `unknown_run`
 */
export async function readEvents(
  rt: Runtime,
  run: RunKey,
  range: { after: number; limit: number },
): Promise<Event[]> {
  const commits = await rt.world.log.read(run, range);
  if (commits.length === 0) await knownRun(rt, run);
  return commits
    .flatMap(parseEvents)
    .filter((event) => event.seq > range.after)
    .slice(0, range.limit);
}

/**
 * One payload of a run, checked against its hash.
 *
 * @throws StepfoldError `unknown_run`, `unknown_blob`, `payload_altered`
 */
export async function readBlob(rt: Runtime, run: RunKey, sha256: string): Promise<Uint8Array> {
  await knownRun(rt, run);
  if (!(await rt.world.blobs.get(run, sha256))) {
    throw new StepfoldError(
      'unknown_blob',
      `expected a payload that run ${run.runId} names; there is no ${sha256}`,
    );
  }
  return fetchBlob(rt, run, { sha256, bytes: 0 });
}

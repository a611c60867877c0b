import { setTimeout as wait } from 'node:timers/promises';
import { StepfoldError } from '../../../../lib/index.ts';

/** Looks into a record: what is there to see, or nothing yet. */
export type Look<T> = () => Promise<T | undefined | false> | T | undefined | false;

/** The error of a claim that the records do not bear out. */
export function unmet(claim: string, got: unknown): StepfoldError {
  return new StepfoldError('demo_failed', `expected: ${claim}; got ${JSON.stringify(got)}`);
}

const PATIENCE_MS = 30_000;
const PAUSE_MS = 30;

/**
 * Looks again and again until there is something to see.
 *
 * @throws StepfoldError `demo_failed` that names the claim, when it does not come true in time.
 */
export async function until<T>(claim: string, look: Look<T>): Promise<T> {
  for (const deadline = Date.now() + PATIENCE_MS; ; await wait(PAUSE_MS)) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen;
    if (Date.now() > deadline) throw unmet(claim, `nothing of it in ${PATIENCE_MS / 1_000} s`);
  }
}

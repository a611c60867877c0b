import { isStepfoldError } from '../core/errors.ts';
import { errorChain } from '../models/error-chain.ts';
import { loggedError } from '../models/logged-error.ts';
import type { StallMark } from '../ports/run-index.ts';
import type { Message } from '../ports/wakes.ts';
import type { Runtime } from './runtime.ts';
import { instant } from './surroundings.ts';

/** Causes that another look in a second would only meet again. */
const LASTING = new Set([
  'unknown_event',
  'log_gap',
  'payload_missing',
  'payload_altered',
  'approval_missing',
  'migration_failed',
  'unknown_agent',
  'bad_start',
  'bad_event',
]);

/** Causes in the words of somebody else, who may have put a secret into them: only the run itself tells these. */
const FOREIGN = new Set(['migration_failed']);

/** A run is set aside after so many deliveries of one message without success. */
const DELIVERIES = 10;

/** The sweep tries a run that was set aside again after these times, then a person must. */
const TRY_AGAIN_MS = [900_000, 3_600_000, 21_600_000];

/**
 * Sets a run aside that cannot go on, so that it neither spins nor disturbs others. An outage of the store is never the
 * run's fault: the message just comes again.
 */
export async function contain(rt: Runtime, message: Message, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const lasting = isStepfoldError(error) && LASTING.has(error.code);
    const worn = message.receives >= DELIVERIES && !isStepfoldError(error, 'unavailable');
    if (!lasting && !worn) {
      reportFailure(rt, message, error);
      throw error;
    }
    await setAside(rt, message, error, lasting ? 0 : message.receives);
  }
}

/** The message comes again; what stood in its way is said each time. */
function reportFailure(rt: Runtime, { wake, receives }: Message, error: unknown): void {
  const { code, message: cause } = loggedError(error, 'crashed');
  const message = `a step failed and is tried again${isOurs(error) ? `: ${cause}` : ''}`;
  rt.report({
    level: 'warn',
    message,
    runId: wake.runId,
    fields: { code, deliveries: receives, error: nameOf(error) },
  });
}

/** Whether an error is in our own words. */
function isOurs(error: unknown): boolean {
  return isStepfoldError(error) && !FOREIGN.has(error.code);
}

function nameOf(error: unknown): string {
  return errorChain(error)[0]?.name ?? typeof error;
}

async function setAside(rt: Runtime, message: Message, error: unknown, count: number): Promise<void> {
  const { tenant, runId } = message.wake;
  const run = { tenant, runId };
  const { index, clock } = rt.world;
  const now = clock.now();
  const { code, message: cause } = loggedError(error, 'crashed');
  const header = await index.get(run);
  const mark: StallMark = { code, cause, count, ...turnOf(header?.stalled, now) };
  const { tries } = mark;
  const told = isOurs(error);
  rt.report({
    level: 'error',
    message: told
      ? `the run is set aside: ${cause}`
      : 'the run is set aside; its own page and `show` say why',
    runId,
    fields: { code, count, tries },
  });
  const seq = header?.seq ?? -1;
  if (!header) {
    const at = instant(now);
    await index.put({
      ...run,
      agent: '',
      status: 'queued',
      seq,
      createdAt: at,
      updatedAt: at,
      interrupts: [],
    });
  }
  if (await index.stall(run, seq, mark)) await index.moveWakeAt(run, seq, nextTry(mark));
}

/** A look before its time, as after a restart, is not one of the tries. */
function turnOf(before: StallMark | undefined, now: number): { at: string; tries: number } {
  if (!before) return { at: instant(now), tries: 0 };
  const due = nextTry(before);
  return due === undefined || now < due
    ? { at: before.at, tries: before.tries }
    : { at: instant(now), tries: before.tries + 1 };
}

/** When the sweep tries the run again, in ms since the epoch; undefined when only a person does. */
function nextTry({ at, tries }: StallMark): number | undefined {
  const wait = TRY_AGAIN_MS[tries];
  return wait === undefined ? undefined : Date.parse(at) + wait;
}

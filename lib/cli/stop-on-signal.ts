import { isStepfoldError } from '../core/errors.ts';
import { printReport } from './print-report.ts';

const INTERRUPTED_EXIT = 130;

/** Closes at the first SIGINT or SIGTERM, and gives up waiting at the second. Resolves when everything is closed. */
export async function stopOnSignal(close: () => Promise<void>): Promise<void> {
  const { promise: signalled, resolve } = Promise.withResolvers<void>();
  let signals = 0;
  const onSignal = () => {
    signals += 1;
    if (signals > 1) process.exit(INTERRUPTED_EXIT);
    resolve();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, onSignal);
  await signalled;
  process.stderr.write('stopping: the steps in flight may end\n');
  try {
    await close();
  } catch (error) {
    if (!isStepfoldError(error, 'close_timed_out')) throw error;
    printReport({ level: 'warn', message: cutOff(error.details) });
    process.exit(0);
  }
}

/** A step that is cut off here is found dangling and reconciled at the next start. */
function cutOff({ working = 1, waitMs = 0 }: { working?: number; waitMs?: number }): string {
  const [steps, were, they] =
    working === 1 ? ['1 step', 'was', 'it is'] : [`${working} steps`, 'were', 'they are'];
  const is = working === 1 ? 'is' : 'are';
  return `${steps} ${were} still at work after ${waitMs / 1_000} s and ${is} cut off; ${they} settled at the next start`;
}

import { isStepfoldError } from '../core/errors.ts';
import { reportError } from './report-error.ts';

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
    reportError(error, { json: false });
    // A step that is cut off here is found dangling and reconciled at the next start.
    process.exit(0);
  }
}

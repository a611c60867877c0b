import { StepfoldError } from '../core/errors.ts';
import { reportError } from './report-error.ts';

const FAILED = 1;

/**
 * Waits for an agents file to load, and no longer than that makes sense. One that ends this process meanwhile is told of.
 *
 * @throws StepfoldError `agents_file_hangs`, and whatever the file throws.
 */
export async function guardLoading<T>(
  file: string,
  loading: Promise<T>,
  { withinMs = 30_000 } = {},
): Promise<T> {
  const { promise: hangs, reject } = Promise.withResolvers<never>();
  const onIdle = () => reject(hanging(file, 'waits for something that cannot come any more'));
  const onExit = () => {
    process.exitCode = FAILED;
    reportError(exited(file), { json: process.argv.includes('--json') });
  };
  const timeout = setTimeout(
    () => reject(hanging(file, `has not loaded after ${withinMs / 1_000} s`)),
    withinMs,
  ).unref();
  process.once('beforeExit', onIdle).once('exit', onExit);
  try {
    return await Promise.race([loading, hangs]);
  } finally {
    clearTimeout(timeout);
    process.off('beforeExit', onIdle).off('exit', onExit);
  }
}

function hanging(file: string, how: string): StepfoldError {
  return new StepfoldError(
    'agents_file_hangs',
    `expected ${file} to load, but it ${how}; look at what it awaits at its top level, ` +
      'and do what takes long in a tool or in the model',
  );
}

function exited(file: string): StepfoldError {
  return new StepfoldError(
    'bad_agents_file',
    `expected ${file} to load, but it ended this process; take process.exit() out of it, and throw an error instead`,
  );
}

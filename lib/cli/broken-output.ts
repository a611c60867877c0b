import { StepfoldError } from '../core/errors.ts';
import { reportError } from './report-error.ts';

const FAILED = 1;

/**
 * What becomes of a command whose output nobody takes. A reader that has seen enough, such as `head`, closes the pipe,
 * which is no error; what else breaks stdout is told in a sentence. Lines for a broken stderr are dropped.
 */
export function endOnBrokenOutput(): void {
  process.stdout.on('error', end);
  process.stderr.on('error', drop);
}

/** A server goes on without readers: what it would have said is dropped. */
export function outliveBrokenOutput(): void {
  process.stdout.off('error', end).on('error', drop);
  process.stderr.on('error', drop);
}

function end(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(0);
  const message = `expected stdout to take the answer; got: ${error.message}. What was asked for may be done: look before you repeat it.`;
  reportError(new StepfoldError('output_failed', message, { cause: error }), { json: false });
  process.exit(FAILED);
}

function drop(): void {}

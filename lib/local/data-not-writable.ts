import { StepfoldError } from '../core/errors.ts';

/** Says that a file or directory of the data cannot be written, and why. */
export function dataNotWritable(path: string, cause: Error): StepfoldError {
  return new StepfoldError(
    'data_not_writable',
    `expected that this process can write ${path}; got: ${cause.message}. ` +
      'Change its permissions, free some space, or name another data directory.',
    { cause },
  );
}

import { isStepfoldError, StepfoldError } from '../core/errors.ts';

const CODE = 'bad_usage';

/** A command line that was not understood. */
export function usageError(message: string): StepfoldError {
  return new StepfoldError(CODE, message);
}

export function isUsageError(error: unknown): boolean {
  return isStepfoldError(error, CODE);
}

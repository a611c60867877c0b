/**
 * The one error family of Stepfold. `code` is stable and meant for programs; the message says what was expected,
 * what came, and what to do next.
 */
export class StepfoldError extends Error {
  override readonly name = 'StepfoldError';
  readonly code: string;
  /** Facts for programs, for example who decided and when. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: string,
    message: string,
    options: { cause?: unknown; details?: Record<string, unknown> } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details ?? {};
  }
}

/** Recognises a {@link StepfoldError} across bundles, with a certain code where one is given. */
export function isStepfoldError(error: unknown, code?: string): error is StepfoldError {
  if (!(error instanceof Error) || error.name !== 'StepfoldError') return false;
  return code === undefined || (error as StepfoldError).code === code;
}

/**
 * Thrown by an adapter when a store could not be reached or did not answer, so that nobody knows whether a write was
 * applied. The caller may try again: appends are recognised as its own, all other writes are idempotent.
 */
export function unavailable(what: string, cause: unknown): StepfoldError {
  const said = cause instanceof Error ? cause.message : String(cause);
  return new StepfoldError('unavailable', `${what} did not answer (${said}); the operation is tried again`, {
    cause,
  });
}

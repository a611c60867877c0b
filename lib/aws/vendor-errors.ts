import { StepfoldError, unavailable } from '../core/errors.ts';
import { timeLeft } from './time-left.ts';

/** What an SDK client throws, as far as it is looked at here. */
interface VendorError extends Error {
  readonly $fault?: 'client' | 'server';
  readonly $retryable?: { readonly throttling?: boolean };
  readonly $metadata?: { readonly httpStatusCode?: number; readonly attempts?: number };
}

/** Refusals that pass by themselves, though their status says that the caller is at fault. */
const PASSING = new Set([
  'AbortError',
  'CredentialsProviderError',
  'ExpiredToken',
  'ExpiredTokenException',
  'InternalFailure',
  'KmsThrottled',
  'LimitExceededException',
  'OperationAborted',
  'PriorRequestNotComplete',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestThrottled',
  'RequestThrottledException',
  'RequestTimeTooSkewed',
  'RequestTimeout',
  'ServiceQuotaExceededException',
  'SlowDown',
  'ThrottledException',
  'Throttling',
  'ThrottlingException',
  'TimeoutError',
  'TooManyRequestsException',
]);

/**
 * Makes a request by the SDK, which has its own and only retries. What it throws then becomes `unavailable`, where nobody
 * knows whether it was applied or it would be another time, or `aws_refused`, where the deployment has to be mended.
 */
export async function attempt<T>(
  what: string,
  request: (options: { abortSignal?: AbortSignal }) => Promise<T>,
): Promise<T> {
  const abortSignal = timeLeft();
  if (abortSignal?.aborted) throw unavailable(what, new Error('no time is left in this invocation'));
  try {
    return await request(abortSignal ? { abortSignal } : {});
  } catch (error) {
    throw translate(what, error);
  }
}

/** The error of these names that a service answered with, behind what {@link attempt} threw. */
export function answered(error: unknown, ...names: string[]): VendorError | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && names.includes(cause.name) ? cause : undefined;
}

function translate(what: string, error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (passes(error)) return unavailable(what, error);
  const { httpStatusCode, attempts } = (error as VendorError).$metadata ?? {};
  if (httpStatusCode === undefined) return error;
  return new StepfoldError(
    'aws_refused',
    `expected AWS to let ${what} answer; it said ${error.name}: ${error.message}. ` +
      "Check the names in the function's environment and what its role may do.",
    { cause: error, details: { vendorCode: error.name, ...(attempts !== undefined && { attempts }) } },
  );
}

function passes(error: VendorError): boolean {
  if (PASSING.has(error.name) || error.$fault === 'server' || error.$retryable?.throttling) return true;
  const status = error.$metadata?.httpStatusCode;
  // Counted by the retries and without a status: there was no answer. With a good one: the rest of it did not come.
  if (status === undefined) return error.$metadata !== undefined;
  return status < 400 || status >= 500 || status === 429;
}

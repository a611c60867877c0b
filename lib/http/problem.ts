import { isStepfoldError, type StepfoldError } from '../core/errors.ts';

/** An error as RFC 9457 has it, with our stable `code` and the error's details. */
interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  [detail: string]: unknown;
}

/** What each code is answered with. A code that is not here is a fault of the server. */
export const PROBLEMS = {
  bad_body: [400, 'The body does not fit'],
  bad_query: [400, 'The query does not fit'],
  bad_id: [400, 'Not an id'],
  bad_key: [400, 'Not an idempotency key'],
  bad_cursor: [400, 'Not a cursor of this list'],
  unknown_property: [400, 'Unknown property'],
  malformed_json: [400, 'Malformed JSON'],
  malformed_request: [400, 'Malformed request'],
  not_json: [400, 'Not a JSON value'],
  body_cut_off: [400, 'Body cut off'],
  unauthorized: [401, 'Not authorized'],
  bad_host: [403, 'Host not served'],
  cross_site: [403, 'Cross-site request'],
  unknown_route: [404, 'No such route'],
  unknown_agent: [404, 'No such agent'],
  unknown_run: [404, 'No such run'],
  unknown_interrupt: [404, 'No such interrupt'],
  unknown_blob: [404, 'No such payload'],
  method_not_allowed: [405, 'Method not allowed'],
  already_decided: [409, 'Already decided'],
  interrupt_closed: [409, 'Interrupt closed'],
  run_ended: [409, 'Run ended'],
  run_cancelling: [409, 'Run is being cancelled'],
  not_blocked: [409, 'Run is not blocked'],
  too_early: [409, 'Too early'],
  body_too_large: [413, 'Body too large'],
  unsupported_media_type: [415, 'Unsupported media type'],
  key_reused: [422, 'Idempotency key reused'],
  wrong_decision: [422, 'Wrong decision'],
  value_required: [422, 'Value required'],
  value_not_allowed: [422, 'Value not allowed'],
  wrong_answer: [422, 'Wrong answer'],
  limits_above: [422, 'Limits too high'],
  limits_required: [422, 'Limits required'],
  no_prices: [422, 'No prices'],
  no_migration: [422, 'No migration'],
  payload_missing: [500, 'Payload missing'],
  payload_altered: [500, 'Payload altered'],
  unknown_event: [500, 'Event not known'],
  log_gap: [500, 'Log incomplete'],
  bad_event: [500, 'Event not readable'],
  unavailable: [503, 'Store unavailable'],
} as const satisfies Record<string, readonly [status: number, title: string]>;

export type ProblemCode = keyof typeof PROBLEMS;

/** The answer that carries the problem of an error. */
export function problemResponse(error: unknown): Response {
  const body = problemOf(error);
  const headers = new Headers({ 'content-type': 'application/problem+json', 'cache-control': 'no-store' });
  if (body.status === 401) headers.set('www-authenticate', 'Bearer');
  if (body.status === 503) headers.set('retry-after', '1');
  const allow = isStepfoldError(error, 'method_not_allowed') && allowed(error);
  if (allow) headers.set('allow', allow);
  return new Response(JSON.stringify(body), { status: body.status, headers });
}

/** The problem that an error is answered with. What is not ours says nothing of its cause. */
function problemOf(error: unknown): Problem {
  if (!isStepfoldError(error)) {
    return problem(
      'internal',
      500,
      'Internal error',
      'The server failed; its log says why. It is safe to try again.',
    );
  }
  const [status, title] = Object.hasOwn(PROBLEMS, error.code)
    ? PROBLEMS[error.code as ProblemCode]
    : [500, 'Internal error'];
  return { ...error.details, ...problem(error.code, status, title, error.message) };
}

function problem(code: string, status: number, title: string, detail: string): Problem {
  return { type: `urn:stepfold:problem:${code}`, title, status, detail, code };
}

function allowed(error: StepfoldError): string {
  return Array.isArray(error.details.allow) ? error.details.allow.join(', ') : '';
}

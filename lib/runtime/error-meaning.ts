import { type ErrorFacts, errorChain } from '../models/error-chain.ts';

/** What an error says about the call: final, worth another try under the same key, or nobody knows. */
export type Meaning = 'final' | 'retryable' | 'unknown';

/** Proof that nothing was sent. */
const NOTHING_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);
/** Proof of the same where it was `connect` that failed. */
const NOT_CONNECTED = new Set(['ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL']);
/** The request may have arrived. */
const LEFT_OPEN = new Set([
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'UND_ERR_SOCKET',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_ABORTED',
  'UND_ERR_RESPONSE',
  'ABORT_ERR',
]);
const LEFT_OPEN_NAMES = new Set(['AbortError', 'TimeoutError', 'ServerError']);

/**
 * Reads an error that a tool threw.
 *
 * @param context `timedOut`: the call's own time was up. `sentBefore`: an earlier request of this attempt got through, so
 * that a later refusal proves nothing about the call as a whole.
 */
export function meaningOf(error: unknown, context: { timedOut: boolean; sentBefore: boolean }): Meaning {
  if (context.timedOut) return 'unknown';
  const chain = errorChain(error);
  const top = chain[0];
  if (top?.name === 'ToolError')
    return top.outcome === 'unknown' ? 'unknown' : top.retryable === true ? 'retryable' : 'final';
  if (top?.retryable === true) return 'retryable';
  for (const clues of chain) {
    if (refused(clues)) return context.sentBefore ? 'unknown' : 'retryable';
    const { code, name } = clues;
    if (LEFT_OPEN.has(code ?? '') || LEFT_OPEN_NAMES.has(name ?? '')) return 'unknown';
  }
  return top?.name === 'TypeError' && /^(fetch failed|terminated)$/.test(top.message) ? 'unknown' : 'final';
}

/** Whether an error proves that its request was not sent. */
export function provesNothingSent(error: unknown): boolean {
  return errorChain(error).some(refused);
}

function refused({ code = '', syscall }: ErrorFacts): boolean {
  return NOTHING_SENT.has(code) || (NOT_CONNECTED.has(code) && syscall === 'connect');
}

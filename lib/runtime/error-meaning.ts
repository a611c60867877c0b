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

interface Clues {
  name?: unknown;
  code?: unknown;
  syscall?: unknown;
  message?: unknown;
  cause?: unknown;
  retryable?: unknown;
  outcome?: unknown;
}

/**
 * Reads an error that a tool threw.
 *
 * @param context `timedOut`: the call's own time was up. `sentBefore`: an earlier request of this attempt got through, so
 * that a later refusal proves nothing about the call as a whole.
 */
export function meaningOf(error: unknown, context: { timedOut: boolean; sentBefore: boolean }): Meaning {
  if (context.timedOut) return 'unknown';
  const chain = causesOf(error);
  const top = chain[0];
  if (top?.name === 'ToolError')
    return top.outcome === 'unknown' ? 'unknown' : top.retryable === true ? 'retryable' : 'final';
  if (top?.retryable === true) return 'retryable';
  for (const clues of chain) {
    if (refused(clues)) return context.sentBefore ? 'unknown' : 'retryable';
    const { code, name } = clues;
    if (LEFT_OPEN.has(String(code)) || LEFT_OPEN_NAMES.has(String(name))) return 'unknown';
  }
  return top?.name === 'TypeError' && /^(fetch failed|terminated)$/.test(String(top.message))
    ? 'unknown'
    : 'final';
}

/** Whether an error proves that its request was not sent. */
export function provesNothingSent(error: unknown): boolean {
  return causesOf(error).some(refused);
}

function refused({ code, syscall }: Clues): boolean {
  return NOTHING_SENT.has(String(code)) || (NOT_CONNECTED.has(String(code)) && syscall === 'connect');
}

function causesOf(error: unknown): Clues[] {
  const chain: Clues[] = [];
  for (let at = error; typeof at === 'object' && at !== null && chain.length < 8; at = (at as Clues).cause)
    chain.push(at as Clues);
  return chain;
}

import { provesNothingSent } from './error-meaning.ts';

/** An answer of 500 and above: whether the downstream did its work is not known. */
class ServerError extends Error {
  override readonly name = 'ServerError';
  readonly status: number;

  constructor(status: number, url: string) {
    super(`${url} answered ${status}`);
    this.status = status;
  }
}

/**
 * `fetch` for tools: it sends the key as `Idempotency-Key`, ends with the call, and throws on a 5xx. `sent` tells whether
 * any of its requests may have reached the downstream.
 */
export function keyedFetch(key: string, signal: AbortSignal): { fetch: typeof fetch; sent: () => boolean } {
  let sent = false;
  const send: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    if (!request.headers.has('idempotency-key')) request.headers.set('idempotency-key', key);
    const response = await fetch(request, { signal: AbortSignal.any([signal, request.signal]) }).catch(
      (error) => {
        sent ||= !provesNothingSent(error);
        throw error;
      },
    );
    sent = true;
    if (response.status < 500) return response;
    await response.body?.cancel();
    throw new ServerError(response.status, new URL(request.url).origin);
  };
  return { fetch: send, sent: () => sent };
}

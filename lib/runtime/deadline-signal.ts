/** A signal that aborts after some ms, and a promise that rejects then: code that ignores the signal is left behind too. */
export function deadlineSignal(timeoutMs: number) {
  const controller = new AbortController();
  const expired = Promise.withResolvers<never>();
  expired.promise.catch(() => {});
  const timer = setTimeout(
    () => {
      const reason = new DOMException(`no answer within ${timeoutMs} ms`, 'TimeoutError');
      controller.abort(reason);
      expired.reject(reason);
    },
    Math.max(1, timeoutMs),
  );
  return { signal: controller.signal, expired: expired.promise, clear: () => clearTimeout(timer) };
}

import { StepfoldError } from '../core/errors.ts';

/** Whether an address can be reached from this machine alone. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}

/**
 * Refuses what a browser sends on behalf of a page that is not ours: a server on loopback trusts whoever reaches it, and a
 * web page can reach it through the browser, by a cross-site request or by a name that it makes resolve to 127.0.0.1.
 *
 * @throws StepfoldError `bad_host`, `cross_site`.
 */
export function assertSameSite(request: Request): void {
  const url = new URL(request.url);
  if (!isLoopback(url.hostname)) {
    throw new StepfoldError(
      'bad_host',
      `expected a request to 127.0.0.1 or localhost, got one to ${url.host}`,
    );
  }
  const origin = request.headers.get('origin');
  const writes = request.method !== 'GET' && request.method !== 'HEAD';
  if (writes && (origin ?? url.origin) !== url.origin) {
    throw new StepfoldError(
      'cross_site',
      `expected a request that no other site's page makes, got one of ${origin}`,
    );
  }
}

import { createHash, timingSafeEqual } from 'node:crypto';
import { StepfoldError } from '../core/errors.ts';

/** Whether a request carries the token as `Authorization: Bearer`, compared in constant time. */
export function hasToken(request: Request, token: string): boolean {
  const given = /^Bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
  return given !== undefined && timingSafeEqual(digest(given), digest(token));
}

/** Digests have one length, so that the length of the token does not show either. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** @throws StepfoldError `bad_token` for what no header can carry as one word. */
export function assertToken(token: string): void {
  if (/^[\x21-\x7e]+$/.test(token)) return;
  throw new StepfoldError(
    'bad_token',
    'expected STEPFOLD_TOKEN to be letters, digits and signs of ASCII, without spaces',
  );
}

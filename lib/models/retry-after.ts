import { APICallError } from '@ai-sdk/provider';

/** What asks for a longer wait than 30 days is no word about load. */
const LONGEST_MS = 30 * 86_400_000;

/**
 * When the provider wants to be asked again, in ms since the epoch: by its `retry-after`, in seconds from now or as a date, or
 * its `retry-after-ms`. Undefined where it does not say, or says what cannot be meant.
 */
export function retryAfter(error: unknown, now: number): number | undefined {
  if (!APICallError.isInstance(error)) return undefined;
  const { 'retry-after-ms': precise, 'retry-after': said } = error.responseHeaders ?? {};
  const at = timeOf(precise, 1, now) ?? timeOf(said, 1_000, now) ?? Date.parse(said ?? '');
  return at > now && at <= now + LONGEST_MS ? Math.ceil(at) : undefined;
}

function timeOf(said: string | undefined, unitMs: number, now: number): number | undefined {
  return said !== undefined && /^\d+(\.\d+)?$/.test(said) ? now + Number(said) * unitMs : undefined;
}

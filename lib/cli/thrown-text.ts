import { errorChain } from '../models/error-chain.ts';

/** What a thrown value says, whatever it is; reading it never throws. */
export function messageOf(thrown: unknown): string {
  const [facts] = errorChain(thrown);
  if (!facts) return String(thrown);
  return facts.message || facts.name || `a value without words (${typeof thrown})`;
}

/** The stack of a thrown value; where it has none, what it says. */
export function stackOf(thrown: unknown): string {
  return stackIn(thrown) ?? messageOf(thrown);
}

function stackIn(thrown: unknown): string | undefined {
  try {
    const stack = thrown instanceof Error ? thrown.stack : undefined;
    return typeof stack === 'string' && stack !== '' ? stack : undefined;
  } catch {
    return undefined;
  }
}

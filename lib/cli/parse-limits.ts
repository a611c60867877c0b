import { limitsSchema } from '../core/event-parts.ts';
import { didYouMean } from './nearest.ts';
import { usageError } from './usage-error.ts';

/** Limits as the API takes them: a wall clock in words, such as `2h`, or in milliseconds. */
export type GivenLimits = Record<string, number | string>;

const NAMES = Object.keys(limitsSchema.shape);

/**
 * The limits of `--limit steps=300 --limit wallClock=2h`; undefined where none is given.
 *
 * @throws StepfoldError `bad_usage`
 */
export function limitsOf(pairs: readonly [string, string][]): GivenLimits | undefined {
  if (pairs.length === 0) return undefined;
  return Object.fromEntries(pairs.map(limitOf));
}

function limitOf([name, value]: [string, string]): [string, number | string] {
  if (!NAMES.includes(name)) {
    throw usageError(
      `--limit: expected one of ${NAMES.join(', ')}; got ${JSON.stringify(name)}.${didYouMean(name, NAMES)}`,
    );
  }
  if (/^\d{1,15}(\.\d{1,15})?$/.test(value)) return [name, Number(value)];
  if (name === 'wallClock' && /^\d{1,9}(ms|s|m|h|d|w)$/.test(value)) return [name, value];
  const what = name === 'wallClock' ? 'a duration such as 2h or 30d' : 'a number';
  throw usageError(`--limit: expected ${name} to be ${what}, got ${JSON.stringify(value)}`);
}

import { StepfoldError } from './errors.ts';

/** `30s`, `24h`, `7d`, or milliseconds as a number. */
export type Duration = string | number;

const UNITS: Record<string, number> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/**
 * A duration in milliseconds.
 *
 * @throws StepfoldError `bad_duration` for anything but a whole number of milliseconds or digits with a unit.
 */
export function milliseconds(duration: Duration, what = 'a duration'): number {
  if (typeof duration === 'number' && Number.isSafeInteger(duration) && duration >= 0) return duration;
  const match = typeof duration === 'string' ? /^(\d{1,9})(ms|s|m|h|d|w)$/.exec(duration) : null;
  const unit = UNITS[match?.[2] ?? ''];
  const ms = Number(match?.[1]) * (unit ?? Number.NaN);
  if (!Number.isSafeInteger(ms)) {
    throw new StepfoldError(
      'bad_duration',
      `expected ${what} such as '30s', '24h' or '7d', or milliseconds as a whole number; got ${JSON.stringify(duration)}`,
    );
  }
  return ms;
}

import { type Limits, limitsSchema } from '../core/event-parts.ts';
import { formatDuration } from './format-time.ts';

/** In one order, whatever that of a log is. */
const NAMES = Object.keys(limitsSchema.shape) as (keyof Limits)[];

/** `steps 200, costUsd 5, wallClock 30d` */
export function formatLimits(limits: Limits): string {
  return NAMES.flatMap((name) => {
    const value = limits[name];
    return value === undefined ? [] : [`${name} ${formatLimit(name, value)}`];
  }).join(', ');
}

/** A limit's value as `--limit` takes it. */
export function formatLimit(name: string, value: number): string {
  return name === 'wallClock' ? formatDuration(value) : String(value);
}

/** A limit that is met no more, as a value for `--limit`: twice of what has been used. */
export function raisedLimit(name: string, used: number): string {
  if (name === 'costUsd') return String(Number((used * 2).toPrecision(2)));
  return name === 'wallClock' ? formatDuration(roundUp(used * 2)) : String(used * 2);
}

const UNITS_MS = [86_400_000, 3_600_000, 60_000, 1_000];

/** Up to a whole number of the largest unit that fits. */
function roundUp(ms: number): number {
  const unit = UNITS_MS.find((each) => each <= ms) ?? 1_000;
  return Math.ceil(ms / unit) * unit;
}

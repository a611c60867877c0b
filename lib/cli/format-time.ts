/** `2026-01-31 12:00:59` in the reader's time zone. */
export function formatInstant(at: string): string {
  return `${formatDay(at)} ${formatClock(at).slice(0, 8)}`;
}

export function formatDay(at: string): string {
  const date = new Date(at);
  return [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
}

/** `12:00:59.123` in the reader's time zone. */
export function formatClock(at: string): string {
  const date = new Date(at);
  const clock = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':');
  return `${clock}.${String(date.getMilliseconds()).padStart(3, '0')}`;
}

/** `3 min ago`, or `in 3 min`. */
export function formatAge(at: string, now = Date.now()): string {
  const seconds = Math.round((now - Date.parse(at)) / 1_000);
  const size = spell(Math.abs(seconds));
  return seconds < 0 ? `in ${size}` : `${size} ago`;
}

/** `30d`, `90s`: a duration in the largest unit that divides it, as it may be given back. */
export function formatDuration(ms: number): string {
  const units: [string, number][] = [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['m', 60_000],
    ['s', 1_000],
  ];
  const [unit, size] = units.find(([, each]) => ms >= each && ms % each === 0) ?? ['ms', 1];
  return `${ms / size}${unit}`;
}

function spell(seconds: number): string {
  if (seconds < 90) return `${seconds} s`;
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} min`;
  return seconds < 48 * 3_600 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} d`;
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}

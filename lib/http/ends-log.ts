import type { Event } from '../core/events.ts';

/** Whether no event comes after this one. */
export function endsLog({ type }: Event): boolean {
  return type === 'run_completed' || type === 'run_failed' || type === 'run_cancelled';
}

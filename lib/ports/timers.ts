import type { Lane, Wake } from './wakes.ts';

/**
 * One-time timers for what is too far off for a delayed wake. A timer sends its wake to its lane at or after `at` (ms
 * since the epoch), and may do so twice or late. Arming a name that exists is success and changes nothing.
 */
export interface Timers {
  arm(timer: { name: string; at: number; wake: Wake; lane: Lane }): Promise<void>;
}

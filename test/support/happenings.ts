/** What may happen to a run. */
export const HAPPENINGS = [
  'decision',
  'expiry',
  'timer',
  'cancel',
  'message',
  'signal',
  'claim',
  "child's end",
] as const;
export type Happening = (typeof HAPPENINGS)[number];

/** Where the two meet: while something else keeps the run open, or where nothing does and what they do may end it. */
export type Place = 'in the middle of a run' | 'at the end of a run';

/** Whether it happens by a worker that takes a message. */
export function isWorker(kind: Happening): boolean {
  return kind === 'expiry' || kind === 'timer' || kind === 'claim' || kind === "child's end";
}

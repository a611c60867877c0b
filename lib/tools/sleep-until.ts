import * as z from 'zod';
import { pauseTool } from './pause-tool.ts';
import { endAt, endOfWait } from './wait-limit.ts';

/** Lets a run wait for a time, at no cost. Its result is `{ wokeAt }`. */
export const sleepUntil = pauseTool({
  name: 'sleepUntil',
  description: 'Wait until a point in time, or for a while. Give exactly one of `at` and `for`.',
  input: z.strictObject({
    at: z.string().describe('A date and time in ISO 8601, such as 2026-03-01T09:00:00Z.').optional(),
    for: z.string().describe('A duration such as 90s, 2h or 7d.').optional(),
  }),
  reason: 'timer',
  open: (args, now) => {
    if ((args.at === undefined) === (args.for === undefined))
      return { error: 'expected exactly one of `at` and `for`' };
    const end = args.at === undefined ? endOfWait(args.for ?? '', now) : endAt(args.at, now);
    return 'error' in end ? end : { expiresAt: end.at };
  },
});

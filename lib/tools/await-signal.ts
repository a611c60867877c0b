import * as z from 'zod';
import { pauseTool } from './pause-tool.ts';
import { endOfWait } from './wait-limit.ts';

/** Waits for a signal of a name; one that came earlier ends the wait at once. Its result is `{ payload }` or `{ timedOut: true }`. */
export const awaitSignal = pauseTool({
  name: 'awaitSignal',
  description: 'Wait until a signal of the given name arrives from outside.',
  input: z.strictObject({
    name: z.string().min(1).max(128).describe('The name of the signal.'),
    timeout: z.string().describe('How long to wait, such as 2h or 7d.').optional(),
  }),
  reason: 'awaiting_signal',
  open: ({ name, timeout }, now) => {
    const end = timeout === undefined ? undefined : endOfWait(timeout, now);
    if (end && 'error' in end) return end;
    return { name, ...(end && { expiresAt: end.at }) };
  },
});

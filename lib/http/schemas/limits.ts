import * as z from 'zod';
import { milliseconds } from '../../core/duration.ts';
import { limitsSchema } from '../../core/event-parts.ts';
import { named } from './named.ts';

/** Limits as they hold. */
export const heldLimitsSchema = named('Limits', limitsSchema.describe('What a run may use up; times in ms.'));

const DURATION = "expected a duration such as '90s', '2h' or '30d', or whole milliseconds, at least 1";
const ms = z.int(DURATION).min(1, DURATION);
const duration = z
  .string()
  .regex(/^\d{1,9}(ms|s|m|h|d|w)$/)
  .transform(readDuration)
  .pipe(ms);

/** A duration that no clock can hold is a misfit like any other. */
function readDuration(text: string, context: z.RefinementCtx): number {
  try {
    return milliseconds(text);
  } catch {
    context.addIssue({ code: 'custom', message: DURATION });
    return z.NEVER;
  }
}

/** Limits as a caller gives them. */
export const limitOptionsSchema = named(
  'LimitOptions',
  limitsSchema
    .extend({
      wallClock: z
        .union([ms, duration], DURATION)
        .optional()
        .describe('A duration such as `2h`, or milliseconds.'),
    })
    .describe('`steps` counts model calls and tool calls, `tokens` input and output.'),
);

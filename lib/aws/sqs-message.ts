import * as z from 'zod';
import { StepfoldError } from '../core/errors.ts';
import type { Lane, Message, Wake } from '../ports/wakes.ts';

/** What a function is handed of one SQS message, as far as it is looked at. */
export interface SqsRecord {
  readonly messageId: string;
  readonly body: string;
  readonly attributes: { readonly ApproximateReceiveCount: string };
}

const seq = z.int().min(0);
const wakeSchema = z.strictObject({
  tenant: z.string().min(1),
  runId: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
  news: z.literal(true).optional(),
  manifest: seq.optional(),
  action: z.string().optional(),
  watch: z.array(seq).optional(),
  swept: z.literal(true).optional(),
  interruptId: z.string().optional(),
});

/**
 * The message of a record.
 *
 * @throws StepfoldError `bad_wake` for a body that no part of Stepfold has sent.
 */
export function toMessage(record: SqsRecord, lane: Lane): Message {
  const { messageId, body, attributes } = record;
  return { messageId, wake: parseWake(body), lane, receives: Number(attributes.ApproximateReceiveCount) };
}

function parseWake(body: string): Wake {
  try {
    return wakeSchema.parse(JSON.parse(body)) as Wake;
  } catch (cause) {
    throw new StepfoldError(
      'bad_wake',
      'expected the wake of a run as the body of a message; got something else',
      {
        cause,
      },
    );
  }
}

import * as z from 'zod';
import { bySchema } from './by.ts';
import { idOf } from './ids.ts';
import { named } from './named.ts';

/** What a user says to a run. */
export const messageBodySchema = named(
  'SendMessage',
  z
    .strictObject({
      text: z.string().min(1).optional().describe('What the user says, in place of `content`.'),
      content: z
        .unknown()
        .optional()
        .describe('An array of AI SDK user content parts; other JSON becomes its text.'),
      messageId: idOf('a message').optional().describe('The same id again counts once.'),
      final: z.boolean().optional().describe('Lets a conversation end with the next answer.'),
    })
    .refine(
      (body) => (body.text === undefined) !== (body.content === undefined),
      'expected exactly one of `text` and `content`',
    )
    .describe('Exactly one of `text` and `content` is given.'),
);

export const messageTakenSchema = named(
  'MessageTaken',
  z.object({ runId: z.string(), messageId: z.string() }),
);

/** What a system tells a run. */
export const signalBodySchema = named(
  'SendSignal',
  z.strictObject({
    name: z.string().min(1).max(128).describe('A wait for a signal of this name takes it.'),
    payload: z.unknown().optional().describe('Any JSON value; null where it is missing.'),
    signalId: idOf('a signal').optional().describe('The same id again counts once.'),
  }),
);

export const signalTakenSchema = named('SignalTaken', z.object({ runId: z.string(), signalId: z.string() }));

/** Why a run is to be cancelled. The body may be left out. */
export const cancelBodySchema = named(
  'CancelRun',
  z.strictObject({ by: bySchema.optional(), reason: z.string().max(10_000).optional() }),
);

export const cancelTakenSchema = named(
  'CancelTaken',
  z.object({ runId: z.string(), cancelRequested: z.literal(true) }),
);

import * as z from 'zod';
import { StepfoldError } from './errors.ts';
import { loggedErrorSchema, refSchema, usedSchema } from './event-parts.ts';
import type { Draft } from './events.ts';
import type { Json } from './json.ts';
import { payloadFields, payloadOf } from './payload.ts';
import type { OpenInterrupt, RunState } from './state.ts';

const json = z.unknown().optional();

/** What a message, a signal, a cancel and a child's end carry in their inbox entry. */
const messageSchema = z.object({
  content: json,
  contentRef: refSchema.optional(),
  final: z.boolean().optional(),
});
const signalSchema = z.object({ name: z.string(), payload: json, payloadRef: refSchema.optional() });
const cancelSchema = z.object({ by: z.string(), reason: z.string().optional() });
const childEndSchema = z.object({
  interruptId: z.string(),
  runId: z.string(),
  status: z.enum(['completed', 'failed', 'cancelled']),
  output: json,
  outputRef: refSchema.optional(),
  error: loggedErrorSchema.optional(),
  used: usedSchema,
});

const saidSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('message'), id: z.string().min(1), body: messageSchema }),
  z.object({
    kind: z.literal('signal'),
    id: z.string().min(1),
    body: signalSchema.extend({ name: z.string().min(1).max(128) }),
  }),
  z.object({ kind: z.literal('cancel'), id: z.string().min(1), body: cancelSchema }),
]);

/**
 * Refuses what somebody says to a run before it is put into the inbox, where it would stop the run that has to read it.
 *
 * @throws StepfoldError `bad_entry`
 */
export function assertSaid(said: Omit<Entry, 'number'>): void {
  const { error } = saidSchema.safeParse(said);
  if (!error) return;
  throw new StepfoldError(
    'bad_entry',
    `expected a ${said.kind} that the run can read, but ${z.prettifyError(error)}`,
  );
}

/** An inbox entry as a fold sees it. */
export interface Entry {
  readonly number: number;
  readonly id: string;
  readonly kind: string;
  readonly body: unknown;
}

/** The events that an inbox entry becomes, with the end of the wait that it ends; all in one commit. */
export function entryDrafts(state: RunState, entry: Entry): Draft[] {
  const step = state.step;
  switch (entry.kind) {
    case 'message': {
      const body = messageSchema.parse(entry.body);
      const content = payloadFields(
        'content',
        payloadOf(body as Record<string, Json>, 'content') ?? { value: null },
      );
      const final = body.final === undefined ? {} : { final: body.final };
      const received: Draft = {
        type: 'message_received',
        step,
        entry: entry.number,
        messageId: entry.id,
        ...content,
        ...final,
      };
      const wait = state.interrupts.find((each) => each.reason === 'awaiting_message');
      return wait ? [received, ended(wait, 'message')] : [received];
    }
    case 'signal': {
      const { name, ...body } = signalSchema.parse(entry.body);
      const payload = payloadFields(
        'payload',
        payloadOf(body as Record<string, Json>, 'payload') ?? { value: null },
      );
      return [{ type: 'signal_received', step, entry: entry.number, signalId: entry.id, name, ...payload }];
    }
    case 'cancel': {
      const { by, reason } = cancelSchema.parse(entry.body);
      return [
        { type: 'cancel_requested', step, entry: entry.number, by, ...(reason !== undefined && { reason }) },
      ];
    }
    default:
      return childEndDrafts(state, entry);
  }
}

/** How a wait that no person ends is ended. */
export function ended(wait: Pick<OpenInterrupt, 'step' | 'interruptId'>, decision: string): Draft {
  return {
    type: 'resumed',
    step: wait.step,
    interruptId: wait.interruptId,
    by: `stepfold:${decision}`,
    outcome: { decision },
  };
}

function childEndDrafts(state: RunState, entry: Entry): Draft[] {
  const end = childEndSchema.parse(entry.body);
  const wait = state.interrupts.find((each) => each.interruptId === end.interruptId);
  const outcome = { decision: end.status, used: end.used };
  const resumed: Draft = {
    type: 'resumed',
    step: wait?.step ?? state.step,
    entry: entry.number,
    interruptId: end.interruptId,
    by: `run:${end.runId}`,
    outcome,
  };
  if (wait?.callId === undefined) return [resumed];
  const returned = {
    type: 'tool_returned' as const,
    step: wait.step,
    callId: wait.callId,
    source: 'resumed' as const,
  };
  if (end.status === 'completed') {
    return [
      resumed,
      {
        ...returned,
        ...payloadFields('result', payloadOf(end as Record<string, Json>, 'output') ?? { value: null }),
      },
    ];
  }
  const why = end.error?.message ?? `the run ${end.runId} was ${end.status}`;
  return [resumed, { ...returned, error: { code: `child_${end.status}`, message: why } }];
}

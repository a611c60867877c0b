import * as z from 'zod';
import {
  claimSchema,
  effectSchema,
  interruptReasonSchema,
  limitsSchema,
  loggedErrorSchema,
  parentSchema,
  refSchema,
  usageSchema,
  usedSchema,
} from './event-parts.ts';
import type { Json } from './json.ts';

/** The version of the envelope that this code writes and reads. */
export const EVENT_VERSION = 1;

const json = z.unknown() as z.ZodType<Json | undefined>;
const seq = z.int().min(0);
const step = z.int().min(0);
const instant = z.iso.datetime({ precision: 3 });
const text = z.string();

/** A payload field and its twin: over the threshold the event has `<field>Ref` in the field's place. */
function payload<F extends string>(field: F) {
  const shape = { [field]: json.optional(), [`${field}Ref`]: refSchema.optional() };
  return shape as { [K in F]: z.ZodOptional<typeof json> } & {
    [K in `${F}Ref`]: z.ZodOptional<typeof refSchema>;
  };
}

function event<T extends string, S extends z.ZodRawShape>(type: T, shape: S) {
  return z.strictObject({
    v: z.literal(EVENT_VERSION),
    seq,
    step,
    at: instant,
    type: z.literal(type),
    ...shape,
  });
}

/** The number of its inbox entry, on events that came through the inbox. */
const entry = { entry: z.int().min(0).optional() };
const attempts = {
  attempt: z.int().min(1),
  /** Earlier attempts that ended with their whole process: they do not count against `retry.attempts`. */
  crashes: z.int().min(0).optional(),
  claim: claimSchema,
};

const runStarted = event('run_started', {
  agent: text,
  revision: text,
  promptHash: text,
  limits: limitsSchema.optional(),
  labels: z.record(text, text).optional(),
  parent: parentSchema.optional(),
  ...payload('input'),
  ...entry,
});

const modelCallRequested = event('model_call_requested', {
  requestHash: text,
  params: json,
  /** What the request is expected to cost: booked when its outcome is lost. */
  estimatedTokens: z.int().min(0).optional(),
  /** The same in money, where the agent's author has given prices. */
  estimatedCostUsd: z.number().min(0).optional(),
  ...attempts,
});

const modelResponded = event('model_responded', {
  ...payload('completion'),
  /** The tool calls of the completion, in its order: what the fold needs where the completion is a reference. */
  calls: z.array(z.strictObject({ toolCallId: text, name: text })),
  finishReason: z.strictObject({ unified: text, raw: text.optional() }),
  usage: usageSchema,
});

const modelCallFailed = event('model_call_failed', {
  error: loggedErrorSchema,
  attempt: z.int().min(1),
  retryAt: instant.optional(),
  usage: usageSchema.optional(),
});

const toolCallRequested = event('tool_call_requested', {
  callId: text,
  name: text,
  ...payload('args'),
  idempotencyKey: text,
  effect: effectSchema,
  /** Milliseconds: how long the downstream honours the key (`keyed`). */
  window: z.int().min(0).optional(),
  /** Milliseconds: how long a request of a dead worker may still land (`lookup`, `once`). */
  horizon: z.int().min(0).optional(),
  /** The interrupt whose approval this call spends. */
  approval: text.optional(),
  ...attempts,
});

const toolReturned = event('tool_returned', {
  callId: text,
  ...payload('result'),
  error: loggedErrorSchema.optional(),
  source: z.enum(['executed', 'reconciled', 'operator', 'resumed', 'denied', 'invalid']),
  evidence: json.optional(),
});

const toolCallFailed = event('tool_call_failed', {
  callId: text,
  error: loggedErrorSchema,
  attempt: z.int().min(1),
  outcome: z.enum(['failed', 'unknown']),
  retryAt: instant.optional(),
});

const statePatched = event('state_patched', { key: text, ...payload('value') });

const messageReceived = event('message_received', {
  messageId: text,
  ...payload('content'),
  final: z.boolean().optional(),
  ...entry,
});

const signalReceived = event('signal_received', {
  signalId: text,
  name: text,
  ...payload('payload'),
  ...entry,
});

const interrupted = event('interrupted', {
  interruptId: text,
  reason: interruptReasonSchema,
  expiresAt: instant.optional(),
  callId: text.optional(),
  tool: text.optional(),
  /** What a person is asked (`awaiting_input`); the answer fits `schema`. */
  question: text.optional(),
  /** The signal that is awaited. */
  name: text.optional(),
  /** The run that is awaited, and its agent. */
  child: z.strictObject({ runId: text, agent: text, limits: limitsSchema.optional() }).optional(),
  /** What differs, or which limit was met, for the reasons that concern the run as a whole. */
  ...payload('facts'),
  ...payload('args'),
  argsHash: text.optional(),
  ...payload('schema'),
  summary: text.optional(),
  risk: text.optional(),
  onExpiry: z.literal('deny').optional(),
  effect: effectSchema.optional(),
  idempotencyKey: text.optional(),
  attempt: z.int().min(1).optional(),
  /** When the last attempt was claimed. */
  sentAt: instant.optional(),
  /** `retry` is refused before this time: a request of the lost attempt may still land. */
  retryAfter: instant.optional(),
  error: loggedErrorSchema.optional(),
});

const outcome = z.strictObject({
  decision: text,
  note: text.optional(),
  /** When the decision was put into its slot. */
  at: instant.optional(),
  /** The limits that hold from now on, where they were changed. */
  limits: limitsSchema.optional(),
  /** The code that old events may meet from now on. */
  accepted: z.strictObject({ revision: text, promptHash: text }).optional(),
  /** What a child run has used, to be counted against its parent's limits. */
  used: usedSchema.optional(),
  ...payload('value'),
});
/** How an interrupt ended. */
export type Outcome = z.infer<typeof outcome>;

const resumed = event('resumed', { interruptId: text, by: text, outcome, ...entry });

const versionMigrated = event('version_migrated', {
  from: text,
  to: text,
  promptHash: text,
  ...payload('messages'),
  ...payload('values'),
});

const cancelRequested = event('cancel_requested', { by: text, reason: text.optional(), ...entry });
const runCompleted = event('run_completed', { ...payload('output') });
const runFailed = event('run_failed', { error: loggedErrorSchema });
const runCancelled = event('run_cancelled', { by: text, unresolved: z.array(text) });

/** Every event that a log may hold. */
export const eventSchema = z.discriminatedUnion('type', [
  runStarted,
  modelCallRequested,
  modelResponded,
  modelCallFailed,
  toolCallRequested,
  toolReturned,
  toolCallFailed,
  statePatched,
  messageReceived,
  signalReceived,
  interrupted,
  resumed,
  versionMigrated,
  cancelRequested,
  runCompleted,
  runFailed,
  runCancelled,
]);

/** One fact in a run's log, past tense, never changed. */
export type Event = z.infer<typeof eventSchema>;
export type EventType = Event['type'];
export type EventOf<T extends EventType> = Extract<Event, { type: T }>;

type Envelope = 'v' | 'seq' | 'at';
type WithoutEnvelope<E> = E extends Event ? Omit<E, Envelope> : never;
/** An event before its commit gives it `v`, `seq` and `at`. */
export type Draft = WithoutEnvelope<Event>;

const TERMINAL: ReadonlySet<EventType> = new Set(['run_completed', 'run_failed', 'run_cancelled']);

/** Whether an event ends its run. */
export function isTerminal(type: EventType): boolean {
  return TERMINAL.has(type);
}

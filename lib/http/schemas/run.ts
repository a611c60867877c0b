import * as z from 'zod';
import {
  effectSchema,
  interruptReasonSchema,
  loggedErrorSchema,
  refSchema,
  usageSchema,
} from '../../core/event-parts.ts';
import { heldLimitsSchema } from './limits.ts';
import { named } from './named.ts';

const json = z.unknown();
const ref = named(
  'Ref',
  refSchema.describe('A payload that is fetched by its hash under /runs/{runId}/blobs/{sha256}.'),
);
const error = named('LoggedError', loggedErrorSchema);

/** `stalled` is laid over the status of a run that was set aside. */
export const runStatusSchema = z.enum([
  'queued',
  'running',
  'paused',
  'completed',
  'failed',
  'cancelled',
  'stalled',
]);

const interruptLine = {
  interruptId: z.string(),
  reason: interruptReasonSchema,
  step: z.int(),
  since: z.string(),
  expiresAt: z.string().optional(),
  callId: z.string().optional(),
  tool: z.string().optional(),
  summary: z.string().optional(),
  risk: z.string().optional(),
};

const interruptSchema = named(
  'Interrupt',
  z.object({
    ...interruptLine,
    args: json.optional(),
    argsRef: ref.optional(),
    argsHash: z.string().optional(),
    onExpiry: z.literal('deny').optional().describe('What comes of an approval that nobody decides in time.'),
    effect: effectSchema.optional(),
    idempotencyKey: z.string().optional(),
    attempt: z.int().optional(),
    sentAt: z.string().optional(),
    retryAfter: z.string().optional().describe('`retry` is refused before this time.'),
    error: error.optional(),
    question: z.string().optional().describe('`awaiting_input`: what is asked.'),
    schema: json.optional().describe('`awaiting_input`: the JSON Schema that the answer must fit.'),
    schemaRef: ref.optional(),
    name: z.string().optional().describe('`awaiting_signal`: the name of the signal.'),
    child: z
      .object({ runId: z.string(), agent: z.string(), limits: heldLimitsSchema.optional() })
      .optional()
      .describe('`awaiting_child`: the run that is awaited.'),
    facts: json
      .optional()
      .describe(
        '`version_mismatch`: what differs; `budget_exceeded`: which limit was met; `provider_blocked`: the cause.',
      ),
    factsRef: ref.optional(),
    decisions: z.array(z.string()).describe('The decisions that this interrupt takes.'),
  }),
);

const stallMark = named(
  'StallMark',
  z.object({ code: z.string(), cause: z.string(), count: z.int(), at: z.string(), tries: z.int() }),
);

const labels = z.record(z.string(), z.string());

/** A run, folded from its log. */
export const runSchema = named(
  'Run',
  z.object({
    runId: z.string(),
    agent: z.string(),
    status: runStatusSchema,
    revision: z.string().optional(),
    promptHash: z.string().optional(),
    labels,
    input: json.optional(),
    inputRef: ref.optional(),
    output: json.optional(),
    outputRef: ref.optional(),
    error: error.optional(),
    unresolved: z.array(z.string()).optional().describe('`cancelled`: the calls whose outcome nobody knows.'),
    seq: z.int().min(-1),
    steps: z.int().min(0),
    usage: usageSchema.extend({ modelCalls: z.int().min(0), toolCalls: z.int().min(0) }),
    limits: heldLimitsSchema,
    cancelRequested: z.literal(true).optional().describe('A cancel is being carried out.'),
    cancel: z
      .object({ by: z.string(), reason: z.string().optional(), at: z.string() })
      .optional()
      .describe('Who asked for the run to be cancelled.'),
    parent: z.object({ runId: z.string() }).optional().describe('The run that started this one.'),
    interrupts: z.array(interruptSchema),
    values: z.record(z.string(), json),
    evidence: z.array(
      z.object({ callId: z.string(), step: z.int(), attempt: z.int(), at: z.string(), outcome: json }),
    ),
    stalled: stallMark.optional(),
    createdAt: z.string(),
    updatedAt: z.string(),
    endedAt: z.string().optional(),
  }),
);

export const startedSchema = named('Started', z.object({ runId: z.string(), status: z.string() }));

/** A page of the list of runs. */
export const runListSchema = named(
  'RunList',
  z.object({
    runs: z.array(
      z.object({
        runId: z.string(),
        agent: z.string(),
        status: runStatusSchema,
        seq: z.int(),
        labels: labels.optional(),
        createdAt: z.string(),
        updatedAt: z.string(),
        interrupts: z.array(z.object(interruptLine)),
        stalled: stallMark.optional(),
      }),
    ),
    cursor: z.string().optional().describe('Gives the next page.'),
  }),
);

export const interruptListSchema = named(
  'InterruptList',
  z.object({ interrupts: z.array(z.object({ runId: z.string(), agent: z.string(), ...interruptLine })) }),
);

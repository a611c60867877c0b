import * as z from 'zod';

const text = z.string();
const instant = z.iso.datetime({ precision: 3 });

/** Names a payload in the blob store: its SHA-256 and its length in bytes. */
export const refSchema = z.strictObject({
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: z.int().min(0),
});
export type Ref = z.infer<typeof refSchema>;

/** Who is executing a call, through which message, and until when others leave it alone. */
export const claimSchema = z.strictObject({ owner: text, messageId: text, deadline: instant });
export type Claim = z.infer<typeof claimSchema>;

/** What a tool declares about repeating it. */
export const effectSchema = z.enum(['read', 'keyed', 'lookup', 'once']);
export type EffectKind = z.infer<typeof effectSchema>;

export const loggedErrorSchema = z.strictObject({ code: text, message: text });
/** An error as the log keeps it. */
export type LoggedError = z.infer<typeof loggedErrorSchema>;

export const usageSchema = z.strictObject({
  inputTokens: z.int().min(0),
  outputTokens: z.int().min(0),
  cachedInputTokens: z.int().min(0),
  /** By the price list of the agent's author. */
  costUsd: z.number().min(0).optional(),
});
export type TokenUsage = z.infer<typeof usageSchema>;

export const interruptReasonSchema = z.enum([
  'awaiting_approval',
  'awaiting_input',
  'awaiting_message',
  'awaiting_signal',
  'timer',
  'awaiting_child',
  'in_doubt',
  'version_mismatch',
  'budget_exceeded',
  'provider_blocked',
]);
export type InterruptReason = z.infer<typeof interruptReasonSchema>;

/** What a run may use up. Tokens count input and output; times are in ms. */
export const limitsSchema = z.strictObject({
  steps: z.int().min(1).optional(),
  tokens: z.int().min(1).optional(),
  costUsd: z.number().positive().optional(),
  wallClock: z.int().min(1).optional(),
  depth: z.int().min(0).optional(),
  parallelCalls: z.int().min(1).optional(),
});
export type Limits = z.infer<typeof limitsSchema>;

/** The run that started this one as a tool call, and where in it. */
export const parentSchema = z.strictObject({
  runId: text,
  interruptId: text,
  /** How many runs stand above this one. */
  depth: z.int().min(1),
});
export type Parent = z.infer<typeof parentSchema>;

/** What a child run has used of its parent's limits. */
export const usedSchema = z.strictObject({
  steps: z.int().min(0),
  tokens: z.int().min(0),
  costUsd: z.number().min(0).optional(),
});
export type Used = z.infer<typeof usedSchema>;

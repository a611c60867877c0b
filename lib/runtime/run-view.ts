import type { Limits, LoggedError, Ref } from '../core/event-parts.ts';
import type { Json } from '../core/json.ts';
import type { RunStatus } from '../core/run-status.ts';
import type { StallMark } from '../ports/run-index.ts';

/** An open interrupt, with everything that a person needs to decide. */
export interface InterruptView {
  interruptId: string;
  reason: string;
  step: number;
  since: string;
  expiresAt?: string;
  callId?: string;
  tool?: string;
  args?: Json;
  argsRef?: Ref;
  argsHash?: string;
  summary?: string;
  risk?: string;
  /** What comes of an approval that nobody decides in time. */
  onExpiry?: 'deny';
  /** `in_doubt`: what was sent, how often, when last, and when `retry` becomes possible. */
  effect?: string;
  question?: string;
  /** The JSON Schema of the answer. */
  schema?: Json;
  schemaRef?: Ref;
  /** The awaited signal. */
  name?: string;
  child?: { runId: string; agent: string; limits?: Limits };
  /** What differs, which limit was met, or why the provider does not answer. */
  facts?: Json;
  factsRef?: Ref;
  idempotencyKey?: string;
  attempt?: number;
  sentAt?: string;
  retryAfter?: string;
  error?: LoggedError;
  /** The decisions that this interrupt takes. */
  decisions: string[];
}

/** A run, folded from its log. */
export interface RunView {
  runId: string;
  agent: string;
  status: RunStatus | 'stalled';
  revision?: string;
  promptHash?: string;
  labels: Record<string, string>;
  input?: Json;
  inputRef?: Ref;
  output?: Json;
  outputRef?: Ref;
  error?: LoggedError;
  unresolved?: string[];
  /** The seq of the last event, -1 before the first. */
  seq: number;
  /** The highest step number so far. */
  steps: number;
  usage: {
    inputTokens: number;
    outputTokens: number;
    cachedInputTokens: number;
    modelCalls: number;
    toolCalls: number;
    costUsd?: number;
  };
  limits: Limits;
  /** A cancel was asked for and is being carried out. */
  cancelRequested?: true;
  /** Who asked for it, also after the end. */
  cancel?: { by: string; reason?: string; at: string };
  parent?: { runId: string };
  interrupts: InterruptView[];
  values: Record<string, Json>;
  /** Outcomes that came too late to be events. */
  evidence: { callId: string; step: number; attempt: number; at: string; outcome: Json }[];
  stalled?: StallMark;
  createdAt: string;
  updatedAt: string;
  endedAt?: string;
}

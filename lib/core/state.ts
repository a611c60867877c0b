import type { Claim, EffectKind, InterruptReason, Limits, LoggedError, Parent } from './event-parts.ts';
import type { Payload } from './payload.ts';
import { type Entry, type EntryResult, emptyTranscript, type Transcript } from './transcript.ts';

/** The version of the fold: a snapshot made by another is not used. */
export const FOLD_VERSION = 6;

/** Where a call stands. `claimed` and `unknown` may be dangling: that depends on the time. */
type CallPhase =
  /** May be claimed at once. */
  | 'ready'
  | 'claimed'
  /** Sent by a worker that lives and does not know what came of it. */
  | 'unknown'
  /** Failed, and waits for `retryAt`. */
  | 'retry'
  /** An interrupt is open about it. */
  | 'paused'
  | 'done';

/** What the attempts at a model call and at a tool call have in common. */
export interface Attempts {
  phase: CallPhase;
  /** Its step number; 0 before the first attempt. */
  step: number;
  /** The number of the last attempt, 0 before the first. */
  attempt: number;
  /** Attempts that ended with their whole process. */
  crashes: number;
  claim?: Claim;
  /** When an attempt turned out unknown. */
  unknownAt?: string;
  retryAt?: string;
}

/** The model call that is next or under way. */
interface ModelCall extends Attempts {
  /** Of its first attempt; every further attempt sends the same. */
  requestHash?: string;
  /** Booked when the outcome of its last attempt is lost. */
  estimatedTokens?: number;
  estimatedCostUsd?: number;
}

/** One tool call of the open turn. */
export interface ToolCall extends Attempts {
  /** `<model step>.<index>` */
  callId: string;
  index: number;
  name: string;
  /** The provider's own id of the call. */
  toolCallId: string;
  /** Parsed, with defaults applied: what every attempt is given. */
  args?: Payload;
  effect?: EffectKind;
  window?: number;
  horizon?: number;
  /** The start of its `window`: when the key was first sent, as far as anybody knows. */
  firstClaimAt?: string;
  lastClaimAt?: string;
  /** The approval that it may spend, or has spent. */
  approval?: { interruptId: string; argsHash: string };
  /** A person said that it is to be sent again. */
  retried?: true;
  /** An earlier attempt of this `keyed` call, or the last of any other, was sent and may have had its effect. */
  mayHaveLanded?: true;
  /** How it ended. */
  result?: Omit<EntryResult, 'toolCallId' | 'name'>;
}

/** A model response whose calls are not all resolved. */
interface Turn {
  step: number;
  response: Entry & { role: 'assistant' };
  calls: ToolCall[];
}

export interface OpenInterrupt {
  interruptId: string;
  reason: InterruptReason;
  step: number;
  seq: number;
  since: string;
  expiresAt?: string;
  callId?: string;
  tool?: string;
  args?: Payload;
  argsHash?: string;
  summary?: string;
  risk?: string;
  effect?: EffectKind;
  idempotencyKey?: string;
  attempt?: number;
  sentAt?: string;
  retryAfter?: string;
  error?: LoggedError;
  question?: string;
  /** The JSON Schema of the answer (`awaiting_input`), or of the arguments. */
  schema?: Payload;
  /** The awaited signal. */
  name?: string;
  child?: { runId: string; agent: string; limits?: Limits };
  facts?: Payload;
}

interface Usage {
  inputTokens: number;
  outputTokens: number;
  cachedInputTokens: number;
  /** Attempts that were sent to a provider or a tool, as far as the log knows. */
  modelCalls: number;
  toolCalls: number;
  /** By the price list of the agent's author, where there is one. */
  costUsd?: number;
}

/** What counts against the limits: of the whole run, or of the open turn of a conversation. */
interface Spent {
  steps: number;
  tokens: number;
  costUsd: number;
  /** From when the wall clock counts. */
  since: string;
}

/** What a log says: `fold(events)`. Plain JSON, so that it can be stored and thrown away at will. */
export interface RunState {
  /** The seq of the last event, -1 before the first. */
  head: number;
  status: 'new' | 'running' | 'completed' | 'failed' | 'cancelled';
  agent: string;
  revision: string;
  promptHash: string;
  labels: Record<string, string>;
  limits: Limits;
  parent?: Parent;
  spent: Spent;
  input?: Payload;
  startedAt: string;
  updatedAt: string;
  /** The highest step number so far. */
  step: number;
  usage: Usage;
  inbox: {
    /** The number of the next entry to be read. */
    next: number;
    /** The ids of the last 100 entries. */
    ids: string[];
  };
  model: ModelCall;
  turn?: Turn;
  /** The response that asked for nothing more: with it the run may end. */
  final?: Payload;
  interrupts: OpenInterrupt[];
  /** Messages that came while a model call or its turn was open. */
  waiting: (Entry & { role: 'user' })[];
  /** Signals that no wait has taken yet, oldest first. */
  signals: { name: string; payload: Payload }[];
  /** Answers in a row that were cut in a call, or that did not fit the output's schema. */
  misfits: number;
  /** A message said that it is the last: the conversation may end with the next answer. */
  closing?: true;
  transcript: Transcript;
  values: { key: string; value: Payload }[];
  cancel?: { by: string; reason?: string; at: string };
  output?: Payload;
  error?: LoggedError;
  unresolved?: string[];
  /** Through which messages commits were made, newest last: who finds its own among them leaves an heir. */
  through: string[];
}

export function emptyState(): RunState {
  return {
    head: -1,
    status: 'new',
    agent: '',
    revision: '',
    promptHash: '',
    labels: {},
    limits: {},
    spent: { steps: 0, tokens: 0, costUsd: 0, since: '' },
    startedAt: '',
    updatedAt: '',
    step: 0,
    usage: { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, modelCalls: 0, toolCalls: 0 },
    inbox: { next: 0, ids: [] },
    model: { phase: 'done', step: 0, attempt: 0, crashes: 0 },
    interrupts: [],
    waiting: [],
    signals: [],
    misfits: 0,
    transcript: emptyTranscript(),
    values: [],
    through: [],
  };
}

export function isEnded(state: RunState): boolean {
  return state.status === 'completed' || state.status === 'failed' || state.status === 'cancelled';
}

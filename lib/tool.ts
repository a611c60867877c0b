import * as z from 'zod';
import { type Duration, milliseconds } from './core/duration.ts';
import { type Effect, once } from './core/effect.ts';
import { StepfoldError } from './core/errors.ts';
import type { Limits } from './core/event-parts.ts';
import type { Json } from './core/json.ts';
import { jsonSchemaOf } from './core/json-schema-of.ts';
import { strictOptions } from './core/strict-options.ts';

/** What a tool's `run` is given beside its arguments. */
export interface ToolContext {
  readonly runId: string;
  readonly step: number;
  readonly attempt: number;
  /** `<run_id>:<step>`: the same for every attempt of this call. */
  readonly idempotencyKey: string;
  /** A key for the n-th request of a call that makes several: `<run_id>:<step>:<n>`. */
  subkey(n: number): string;
  /** Aborts at the tool's timeout. */
  readonly signal: AbortSignal;
  /** What this run keeps beside its conversation. A write is committed together with the call's result. */
  readonly state: { get(key: string): Json | undefined; set(key: string, value: unknown): void };
  /** Writes a line to the service's log. */
  log(message: string, fields?: Record<string, unknown>): void;
  /** `fetch` that sends the key as `Idempotency-Key`, aborts with the call, and throws on a 5xx. */
  readonly fetch: typeof fetch;
}

/** When a call of the tool must be approved by a person. */
export interface Approval<Args> {
  /** @default every call */
  when?: (args: Args) => boolean | Promise<boolean>;
  /** A sentence for the person who decides. */
  summary?: (args: Args) => string;
  risk?: 'low' | 'medium' | 'high';
  /** @default never */
  expiresIn?: Duration;
  /** @default 'deny' */
  onExpiry?: 'deny';
}

export interface ToolOptions<S extends z.ZodType> {
  /** Letters, digits, `_` and `-`, at most 64: what the model calls it by. */
  name: string;
  description: string;
  /** Must be expressible as JSON Schema, since the model is sent that. */
  input: S;
  /** @default 'once', with a warning */
  effect?: 'read' | 'once' | Effect;
  approval?: Approval<z.output<S>>;
  /** How long one attempt may take. @default '20s' */
  timeout?: Duration;
  /** Attempts in all. @default { attempts: 4 } */
  retry?: { attempts: number };
  /** How much of a result's text the model is sent, in bytes. @default 100_000 */
  resultLimit?: number;
  run: (args: z.output<S>, ctx: ToolContext) => unknown;
}

/** What a tool waits for instead of running anything. */
export interface Pause {
  readonly reason: 'timer' | 'awaiting_input' | 'awaiting_signal' | 'awaiting_child';
  /** Until when it waits, and for what; or what is wrong with its arguments. */
  open(args: unknown, now: number): PauseTerms | { error: string };
  /** The agent whose run is awaited. */
  readonly child?: { readonly name: string; readonly limits: Limits };
}

interface PauseTerms {
  /** ms since the epoch */
  readonly expiresAt?: number;
  readonly question?: string;
  readonly schema?: Json;
  readonly name?: string;
}

/** A tool as the runtime sees it: checked, with its defaults. */
export interface Tool {
  readonly kind: 'tool';
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType;
  /** The JSON Schema that the model is sent. */
  readonly inputSchema: Record<string, unknown>;
  readonly effect: Effect;
  readonly approval?: {
    when: (args: unknown) => boolean | Promise<boolean>;
    summary?: (args: unknown) => string;
    risk?: string;
    expiresInMs?: number;
  };
  readonly timeoutMs: number;
  readonly attempts: number;
  readonly resultLimit: number;
  readonly run: (args: unknown, ctx: ToolContext) => unknown;
  /** Set for a tool that waits instead of running anything. */
  readonly pause?: Pause;
  /** What the author should hear when the agent is loaded. */
  readonly warnings: readonly string[];
}

const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const MAX_TIMEOUT = 900_000;

const optionsSchema = strictOptions({
  name: z.string().regex(NAME, 'letters, digits, _ and -, at most 64'),
  description: z.string(),
  input: z.custom<z.ZodType>((value) => value instanceof z.ZodType, 'a zod schema'),
  effect: z
    .union(
      [z.literal(['read', 'once']), z.looseObject({ kind: z.enum(['read', 'keyed', 'lookup', 'once']) })],
      {
        error: "'read', 'once', once({ horizon }), keyed({ window }) or lookup({ find, horizon })",
      },
    )
    .optional(),
  approval: strictOptions({
    when: z.custom((value) => typeof value === 'function', 'a function').optional(),
    summary: z.custom((value) => typeof value === 'function', 'a function').optional(),
    risk: z.enum(['low', 'medium', 'high']).optional(),
    expiresIn: z.union([z.string(), z.number()]).optional(),
    onExpiry: z.literal('deny').optional(),
  }).optional(),
  timeout: z.union([z.string(), z.number()]).optional(),
  retry: strictOptions({ attempts: z.int().min(1).max(100) }).optional(),
  resultLimit: z.int().min(1_000).optional(),
  run: z.custom((value) => typeof value === 'function', 'a function'),
});

/**
 * Declares a tool and what may be repeated of it.
 *
 * @throws StepfoldError `bad_tool` for options that do not fit, `schema_not_json` for an input that JSON Schema cannot
 * express.
 */
export function defineTool<S extends z.ZodType>(options: ToolOptions<S>): Tool {
  const checked = optionsSchema.safeParse(options);
  const name = String((options as { name?: unknown } | undefined)?.name);
  if (!checked.success) {
    throw new StepfoldError('bad_tool', `tool ${name}: ${z.prettifyError(checked.error)}`, {
      cause: checked.error,
    });
  }
  const timeoutMs = milliseconds(options.timeout ?? '20s', `\`timeout\` of tool ${name}`);
  if (timeoutMs < 1 || timeoutMs > MAX_TIMEOUT) {
    throw new StepfoldError(
      'bad_tool',
      `tool ${name}: expected a timeout between 1 ms and 15 minutes, got ${timeoutMs} ms`,
    );
  }
  const warnings: string[] = [];
  if (options.effect === undefined) {
    warnings.push(
      `tool ${name} declares no effect and counts as 'once': a call that is cut off waits for a person. ` +
        "Declare 'read', keyed({ window }), lookup({ find, horizon }) or 'once'.",
    );
  }
  const approval = options.approval;
  return {
    kind: 'tool',
    name,
    description: options.description,
    input: options.input,
    inputSchema: inputSchemaOf(name, options.input),
    effect: effectOf(options.effect),
    ...(approval && {
      approval: {
        when: (args: unknown) => (approval.when ? approval.when(args as z.output<S>) : true),
        ...(approval.summary && { summary: approval.summary as (args: unknown) => string }),
        ...(approval.risk && { risk: approval.risk }),
        ...(approval.expiresIn !== undefined && {
          expiresInMs: milliseconds(approval.expiresIn, `\`expiresIn\` of tool ${name}`),
        }),
      },
    }),
    timeoutMs,
    attempts: options.retry?.attempts ?? 4,
    resultLimit: options.resultLimit ?? 100_000,
    run: options.run as Tool['run'],
    warnings,
  };
}

function inputSchemaOf(name: string, input: z.ZodType): Record<string, unknown> {
  const schema = jsonSchemaOf(`the input of tool ${name}`, input);
  if (schema.type === 'object') return schema;
  throw new StepfoldError(
    'schema_not_json',
    `expected the input of tool ${name} to be a z.object(), got a schema of type ${String(schema.type)}`,
  );
}

function effectOf(effect: ToolOptions<z.ZodType>['effect']): Effect {
  if (effect === 'read') return { kind: 'read' };
  if (effect === undefined || effect === 'once') return once();
  return effect;
}

/**
 * What a tool throws to say what its error means.
 *
 * Without options it is final and the model is told. `retryable: true` tries again under the same key;
 * `outcome: 'unknown'` says that nobody knows whether it happened, and the call is reconciled by its effect.
 */
export class ToolError extends Error {
  override readonly name = 'ToolError';
  readonly retryable: boolean;
  readonly outcome: 'failed' | 'unknown';

  constructor(
    message: string,
    options: { retryable?: boolean; outcome?: 'failed' | 'unknown'; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.retryable = options.retryable ?? false;
    this.outcome = options.outcome ?? 'failed';
  }
}

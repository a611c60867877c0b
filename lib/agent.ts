import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import * as z from 'zod';
import { type Duration, milliseconds } from './core/duration.ts';
import { StepfoldError } from './core/errors.ts';
import type { Limits } from './core/event-parts.ts';
import { canonicalJson, sha256 } from './core/hash.ts';
import type { Json } from './core/json.ts';
import { jsonSchemaOf } from './core/json-schema-of.ts';
import { type Migration, migrationChain, migrationsSchema } from './core/migration.ts';
import { strictOptions } from './core/strict-options.ts';
import type { Tool } from './tool.ts';

/** What a model is asked with, beside the prompt; the names are those of the AI SDK. */
export type Settings = Pick<
  LanguageModelV4CallOptions,
  | 'maxOutputTokens'
  | 'temperature'
  | 'topP'
  | 'topK'
  | 'presencePenalty'
  | 'frequencyPenalty'
  | 'stopSequences'
  | 'seed'
  | 'reasoning'
  | 'toolChoice'
  | 'providerOptions'
>;

/** What a run of the agent may use up; in a conversation, what one turn may. */
export interface LimitOptions {
  /** Model calls and tool calls. */
  steps?: number;
  /** Input and output tokens. */
  tokens?: number;
  /** By `prices`. */
  costUsd?: number;
  wallClock?: Duration;
  /** How many runs may stand below one another. @default 5 */
  depth?: number;
  /** Tool calls in flight at once. */
  parallelCalls?: number;
}

/** US dollars per million tokens. */
export interface Prices {
  input: number;
  /** @default `input` */
  cachedInput?: number;
  output: number;
}

export interface AgentOptions {
  /** Letters, digits, `_` and `-`, at most 64. */
  name: string;
  /** Declared by the author; goes up when old runs must not be continued by this code. */
  revision: string;
  /** Any AI SDK provider model, called once per step through `doGenerate`. */
  model: LanguageModelV4;
  instructions: string;
  tools?: readonly Tool[];
  settings?: Settings;
  /** What the last answer is parsed by; a misfit goes back to the model. @default its text */
  output?: z.ZodType;
  limits?: LimitOptions;
  /** What tokens cost: needed for `limits.costUsd`. */
  prices?: Prices;
  /** Sends the model only so many whole turns from the end, and the first message of the user. @default all of them */
  history?: { turns: number };
  /** Waits for the next message instead of completing. @default false */
  conversation?: boolean;
  /** How a run of an older revision becomes one of this. */
  migrations?: readonly Migration[];
  /** What becomes of a run that was written for other code, where no migration fits. @default 'refuse' */
  onVersionChange?: 'refuse' | 'verbatim';
  /** Steps between two snapshots. @default 20 */
  snapshotEvery?: number;
}

/** An agent as the runtime sees it: checked, with its defaults. */
export interface Agent {
  readonly kind: 'agent';
  readonly name: string;
  readonly revision: string;
  readonly model: LanguageModelV4;
  readonly instructions: string;
  readonly tools: readonly Tool[];
  readonly settings: Settings;
  readonly output?: z.ZodType;
  readonly limits: Limits;
  readonly prices?: Prices;
  readonly history?: { readonly turns: number };
  readonly conversation: boolean;
  readonly migrations: readonly Migration[];
  readonly onVersionChange: 'refuse' | 'verbatim';
  readonly snapshotEvery: number;
  /** Canonical JSON of everything the model is told beside the conversation. */
  readonly prompt: string;
  /** SHA-256 of `prompt`. */
  readonly promptHash: string;
  readonly warnings: readonly string[];
}

const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const positive = z.int().min(1);
const price = z.number().min(0);
const isModel = (value: unknown) => {
  const model = value as LanguageModelV4 | undefined;
  return typeof model?.doGenerate === 'function' && model.specificationVersion === 'v4';
};
const isTool = (value: unknown) => (value as Tool | undefined)?.kind === 'tool';

const optionsSchema = strictOptions({
  name: z.string().regex(NAME, 'letters, digits, _ and -, at most 64'),
  revision: z.string().min(1).max(64),
  model: z.custom<LanguageModelV4>(
    isModel,
    "a model of an AI SDK provider: with doGenerate(), and specificationVersion 'v4' (@ai-sdk/provider 4)",
  ),
  instructions: z.string(),
  tools: z.array(z.custom<Tool>(isTool, 'a tool made by defineTool()')).optional(),
  settings: strictOptions({
    maxOutputTokens: positive.optional(),
    temperature: z.number().optional(),
    topP: z.number().optional(),
    topK: z.number().optional(),
    presencePenalty: z.number().optional(),
    frequencyPenalty: z.number().optional(),
    stopSequences: z.array(z.string()).optional(),
    seed: z.int().optional(),
    reasoning: z.string().optional(),
    toolChoice: z.looseObject({ type: z.string() }).optional(),
    providerOptions: z.record(z.string(), z.record(z.string(), z.unknown())).optional(),
  }).optional(),
  output: z.custom<z.ZodType>((value) => value instanceof z.ZodType, 'a zod schema').optional(),
  limits: strictOptions({
    steps: positive.optional(),
    tokens: positive.optional(),
    costUsd: z.number().positive().optional(),
    wallClock: z.union([z.string(), z.number()]).optional(),
    depth: z.int().min(0).optional(),
    parallelCalls: positive.optional(),
  }).optional(),
  prices: strictOptions({ input: price, cachedInput: price.optional(), output: price }).optional(),
  history: strictOptions({ turns: positive }).optional(),
  conversation: z.boolean().optional(),
  migrations: migrationsSchema.optional(),
  onVersionChange: z.enum(['refuse', 'verbatim']).optional(),
  snapshotEvery: positive.max(10_000).optional(),
});

const DEPTH = 5;

/**
 * Declares an agent.
 *
 * @throws StepfoldError `bad_agent` for options that do not fit, `duplicate_tool` for two tools of one name,
 * `schema_not_json` for an output that JSON Schema cannot express, `migration_hole` for migrations that do not lead here.
 */
export function defineAgent(options: AgentOptions): Agent {
  const checked = optionsSchema.safeParse(options);
  const name = String((options as { name?: unknown } | undefined)?.name);
  if (!checked.success) throw bad(name, z.prettifyError(checked.error), checked.error);
  const { wallClock, ...limits } = options.limits ?? {};
  if (limits.costUsd !== undefined && !options.prices) {
    throw bad(name, 'expected `prices` beside `limits.costUsd`: what a token costs is not known otherwise');
  }
  const tools = options.tools ?? [];
  checkTools(name, tools);
  checkMigrations(name, options);
  const prompt = promptOf(name, options);
  return {
    kind: 'agent',
    name,
    revision: options.revision,
    model: options.model,
    instructions: options.instructions,
    tools,
    settings: options.settings ?? {},
    ...(options.output && { output: options.output }),
    limits: {
      depth: DEPTH,
      ...limits,
      ...(wallClock !== undefined && {
        wallClock: milliseconds(wallClock, `\`limits.wallClock\` of agent ${name}`),
      }),
    },
    ...(options.prices && { prices: options.prices }),
    ...(options.history && { history: options.history }),
    conversation: options.conversation ?? false,
    migrations: options.migrations ?? [],
    onVersionChange: options.onVersionChange ?? 'refuse',
    snapshotEvery: options.snapshotEvery ?? 20,
    prompt,
    promptHash: sha256(prompt),
    warnings: tools.flatMap((tool) => tool.warnings.map((warning) => `agent ${name}: ${warning}`)),
  };
}

/** What is hashed: the instructions, what the model is told of the tools, the model and how it is asked. */
function promptOf(name: string, options: AgentOptions): string {
  const { instructions, tools = [], model, settings = {}, output } = options;
  return canonicalJson({
    instructions,
    tools: tools.map((tool) => ({
      name: tool.name,
      description: tool.description,
      inputSchema: tool.inputSchema as unknown as Json,
    })),
    model: model.modelId,
    settings: JSON.parse(JSON.stringify(settings)) as Json,
    ...(output && { output: jsonSchemaOf(`the output of agent ${name}`, output) as Json }),
  });
}

function checkTools(name: string, tools: readonly Tool[]): void {
  for (const [index, tool] of tools.entries()) {
    if (tools.findIndex((other) => other.name === tool.name) === index) continue;
    throw new StepfoldError(
      'duplicate_tool',
      `agent ${name}: expected tools with different names, two are called ${tool.name}`,
    );
  }
}

/** Every migration must lead on to the revision of the code that it stands in. */
function checkMigrations(name: string, { migrations = [], revision }: AgentOptions): void {
  for (const { from, to } of migrations) {
    if (migrationChain(migrations, from, revision)) continue;
    throw new StepfoldError(
      'migration_hole',
      `agent ${name}: expected migrations that lead to revision ${revision}; the one from ${from} to ${to} does not`,
    );
  }
}

function bad(name: string, why: string, cause?: unknown): StepfoldError {
  return new StepfoldError('bad_agent', `agent ${name}: ${why}`, { cause });
}

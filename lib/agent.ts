import type { LanguageModelV4 } from '@ai-sdk/provider';
import * as z from 'zod';
import { StepfoldError } from './core/errors.ts';
import { canonicalJson, sha256 } from './core/hash.ts';
import type { Json } from './core/json.ts';
import type { Tool } from './tool.ts';

export interface AgentOptions {
  /** Letters, digits, `_` and `-`, at most 64. */
  name: string;
  /** Declared by the author; goes up when old runs must not be continued by this code. */
  revision: string;
  /** Any AI SDK provider model, called once per step through `doGenerate`. */
  model: LanguageModelV4;
  instructions: string;
  tools?: readonly Tool[];
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
  readonly snapshotEvery: number;
  /** Canonical JSON of everything the model is told beside the conversation. */
  readonly prompt: string;
  /** SHA-256 of `prompt`. */
  readonly promptHash: string;
  readonly warnings: readonly string[];
}

const optionsSchema = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'letters, digits, _ and -, at most 64'),
  revision: z.string().min(1).max(64),
  model: z.custom<LanguageModelV4>(
    (value) => typeof (value as LanguageModelV4 | undefined)?.doGenerate === 'function',
    'a model of an AI SDK provider, with doGenerate()',
  ),
  instructions: z.string(),
  tools: z
    .array(
      z.custom<Tool>((value) => (value as Tool | undefined)?.kind === 'tool', 'a tool made by defineTool()'),
    )
    .optional(),
  snapshotEvery: z.int().min(1).max(10_000).optional(),
});

/**
 * Declares an agent.
 *
 * @throws StepfoldError `bad_agent` for options that do not fit, `duplicate_tool` for two tools of one name.
 */
export function defineAgent(options: AgentOptions): Agent {
  const checked = optionsSchema.safeParse(options);
  const name = String((options as { name?: unknown } | undefined)?.name);
  if (!checked.success) {
    throw new StepfoldError('bad_agent', `agent ${name}: ${z.prettifyError(checked.error)}`, {
      cause: checked.error,
    });
  }
  const tools = checked.data.tools ?? [];
  for (const [index, tool] of tools.entries()) {
    if (tools.findIndex((other) => other.name === tool.name) !== index) {
      throw new StepfoldError(
        'duplicate_tool',
        `agent ${name}: expected tools with different names, two are called ${tool.name}`,
      );
    }
  }
  const { revision, model, instructions, snapshotEvery = 20 } = checked.data;
  const prompt = canonicalJson({
    instructions,
    tools: tools.map((tool) => ({
      name: tool.name,
      description: tool.description,
      inputSchema: tool.inputSchema as unknown as Json,
    })),
    model: model.modelId,
    settings: {},
  });
  return {
    kind: 'agent',
    name,
    revision,
    model,
    instructions,
    tools,
    snapshotEvery,
    prompt,
    promptHash: sha256(prompt),
    warnings: tools.flatMap((tool) => tool.warnings.map((warning) => `agent ${name}: ${warning}`)),
  };
}

/** The agents that a deployment serves, by name. */
export type Registry = ReadonlyMap<string, Agent>;

/**
 * The registry of an agents file.
 *
 * @throws StepfoldError `bad_agents_file` unless it is a list of agents, `duplicate_agent` for two of one name.
 */
export function registryOf(agents: unknown, where = 'the agents file'): Registry {
  const isAgent = (value: unknown): value is Agent => (value as Agent | undefined)?.kind === 'agent';
  if (!Array.isArray(agents) || agents.length === 0 || !agents.every(isAgent)) {
    throw new StepfoldError(
      'bad_agents_file',
      `expected ${where} to have a default export that lists agents made by defineAgent(), such as ` +
        `\`export default [research]\`; got ${Array.isArray(agents) ? `a list of ${agents.length}` : typeof agents}`,
    );
  }
  const registry = new Map<string, Agent>();
  for (const agent of agents) {
    if (registry.has(agent.name)) {
      throw new StepfoldError(
        'duplicate_agent',
        `expected agents with different names in ${where}, two are called ${agent.name}`,
      );
    }
    registry.set(agent.name, agent);
  }
  return registry;
}

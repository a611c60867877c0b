import type { Agent } from './agent.ts';
import { StepfoldError } from './core/errors.ts';

/** The agents that a deployment serves, by name. */
export type Registry = ReadonlyMap<string, Agent>;

/**
 * The registry of an agents file.
 *
 * @throws StepfoldError `bad_agents_file` unless it is a list of agents, `duplicate_agent` for two of one name,
 * `unregistered_child` for an agent tool whose agent is not listed, `no_prices` where a limit of dollars could not hold over it.
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
  for (const agent of registry.values()) checkChildren(agent, registry, where);
  return registry;
}

/** A child runs under its own name: the deployment must serve it. */
function checkChildren(agent: Agent, registry: Registry, where: string): void {
  for (const { pause } of agent.tools) {
    if (!pause?.child) continue;
    const child = registry.get(pause.child.name);
    if (child && agent.limits.costUsd !== undefined && !child.prices) {
      throw new StepfoldError(
        'no_prices',
        `expected agent ${child.name} in ${where} to have \`prices\`: agent ${agent.name} lets it work within \`limits.costUsd\``,
      );
    }
    if (child) continue;
    throw new StepfoldError(
      'unregistered_child',
      `expected ${where} to list the agent ${pause.child.name}, which agent ${agent.name} has as a tool; ` +
        `it lists ${[...registry.keys()].join(', ')}`,
    );
  }
}

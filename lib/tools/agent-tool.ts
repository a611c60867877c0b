import * as z from 'zod';
import type { Agent } from '../agent.ts';
import type { Tool } from '../tool.ts';
import { pauseTool } from './pause-tool.ts';

/**
 * A tool that runs another agent as a child run, with a log of its own, and waits for its output. The tool is named after
 * the agent; the child must be served by the same deployment.
 */
export function agentTool(agent: Agent, options: { description?: string } = {}): Tool {
  return pauseTool({
    name: agent.name,
    description:
      options.description ?? `Let the agent ${agent.name} work on something and wait for its output.`,
    input: z.strictObject({ input: z.unknown().describe('What the agent is to work on.') }),
    reason: 'awaiting_child',
    child: { name: agent.name, limits: agent.limits },
    open: () => ({}),
  });
}

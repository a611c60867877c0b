import * as z from 'zod';
import type { Agent } from '../agent.ts';
import type { LoggedError } from '../core/event-parts.ts';
import { findUnrepresentable, type Json } from '../core/json.ts';
import { loggedError } from '../models/logged-error.ts';

/** The arguments of a call with defaults applied, or what the model is told about them. */
export async function parseArguments(
  agent: Agent,
  name: string,
  input: string,
): Promise<{ args: Json } | { error: LoggedError }> {
  const tool = agent.tools.find((each) => each.name === name);
  if (!tool) {
    const known = agent.tools.map((each) => each.name).join(', ') || 'none';
    return {
      error: {
        code: 'unknown_tool',
        message: `There is no tool ${JSON.stringify(name)}. The tools are: ${known}.`,
      },
    };
  }
  try {
    const parsed = await tool.input.safeParseAsync(JSON.parse(input === '' ? '{}' : input));
    if (!parsed.success) return { error: invalid(z.prettifyError(parsed.error)) };
    const problem = findUnrepresentable(parsed.data);
    return problem ? { error: invalid(problem) } : { args: parsed.data as Json };
  } catch (error) {
    return { error: invalid(loggedError(error, '').message) };
  }
}

function invalid(why: string): LoggedError {
  return {
    code: 'invalid_arguments',
    message: `The arguments do not fit the tool's schema; nothing was done. ${why}`,
  };
}

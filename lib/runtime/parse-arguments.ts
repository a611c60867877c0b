import * as z from 'zod';
import type { Agent } from '../agent.ts';
import type { LoggedError } from '../core/event-parts.ts';
import { copyJson, findUnrepresentable, type Json } from '../core/json.ts';
import { loggedError, shortened } from '../models/logged-error.ts';
import { unknownProperties } from '../models/unknown-properties.ts';
import type { Tool } from '../tool.ts';

/** More than any model writes in one answer. */
const LONGEST = 1_000_000;
const SHOWN = 10;

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
        message: shortened(`There is no tool ${JSON.stringify(name)}. The tools are: ${known}.`),
      },
    };
  }
  try {
    return await parse(tool, input);
  } catch (error) {
    return invalid(loggedError(error, '').message);
  }
}

async function parse(tool: Tool, input: string): Promise<{ args: Json } | { error: LoggedError }> {
  if (input.length > LONGEST)
    return invalid(`They are ${input.length} characters long; at most ${LONGEST} are taken.`);
  const given: unknown = JSON.parse(input === '' ? '{}' : input);
  const unfit = findUnrepresentable(given);
  if (unfit) return invalid(unfit);
  if (namesPrototype(given)) return invalid('No property may be called __proto__.');
  const parsed = await tool.input.safeParseAsync(given);
  if (!parsed.success) return invalid(z.prettifyError(parsed.error));
  // A schema takes no more notice of these, but the model meant something by them.
  const unknown = unknownProperties(tool.inputSchema, given);
  if (unknown.length > 0) return invalid(`The schema has no ${unknown.slice(0, SHOWN).join(', ')}.`);
  const copied = copyJson(parsed.data);
  return 'problem' in copied ? invalid(copied.problem) : { args: copied.value };
}

function invalid(why: string): { error: LoggedError } {
  return {
    error: {
      code: 'invalid_arguments',
      message: shortened(`The arguments do not fit the tool's schema; nothing was done. ${why}`),
    },
  };
}

/** Schemas drop such a property in silence, and what copies objects with care for less may be harmed by it. */
function namesPrototype(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.hasOwn(value, '__proto__') || Object.values(value).some(namesPrototype);
}

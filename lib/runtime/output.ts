import * as z from 'zod';
import type { Agent } from '../agent.ts';
import { copyJson, type Json } from '../core/json.ts';
import { type Completion, textOf } from '../models/completion.ts';
import { loggedError, shortened } from '../models/logged-error.ts';
import { fetchPayload } from './payloads.ts';
import type { Visit } from './visit.ts';

/** The output of a run that ends: the last response's text, or what the agent's schema makes of it. */
export async function outputOf(
  { rt, run, state }: Visit,
  agent: Agent | undefined,
): Promise<{ value: Json } | { misfit: string }> {
  const completion = await fetchPayload(rt, run, state.final ?? { value: { content: [] } });
  const text = textOf(completion as unknown as Completion);
  return agent?.output ? parseOutput(agent.output, text) : { value: text };
}

/** The value that a schema makes of an answer, or what the model is told about it. */
export async function parseOutput(
  schema: z.ZodType,
  text: string,
): Promise<{ value: Json } | { misfit: string }> {
  let json: unknown;
  try {
    json = JSON.parse(unfenced(text));
  } catch {
    return misfit('it is not JSON');
  }
  try {
    const parsed = await schema.safeParseAsync(json);
    if (!parsed.success) return misfit(z.prettifyError(parsed.error));
    const copied = copyJson(parsed.data);
    return 'problem' in copied ? misfit(copied.problem) : copied;
  } catch (error) {
    return misfit(loggedError(error, '').message);
  }
}

function misfit(why: string): { misfit: string } {
  const told = shortened(`Your answer does not fit the schema that was asked for: ${why}`);
  return { misfit: `${told}\nAnswer again, with the JSON alone.` };
}

/** Models like to put JSON into a code block. */
function unfenced(text: string): string {
  const trimmed = text.trim();
  const opening = /^```(?:json)?[^\S\n]*\n/.exec(trimmed)?.[0];
  return opening !== undefined && trimmed.endsWith('```') ? trimmed.slice(opening.length, -3) : text;
}

import { cloneJson } from '../core/clone-json.ts';
import type { LoggedError } from '../core/event-parts.ts';
import { copyJson, type Json } from '../core/json.ts';
import type { ToolCall } from '../core/state.ts';
import { loggedError } from '../models/logged-error.ts';
import type { Tool } from '../tool.ts';
import { deadlineSignal } from './deadline-signal.ts';
import type { Visit } from './visit.ts';

/** What the downstream knows of a call that was cut off. */
export type AskAnswer =
  | { kind: 'found'; fields: { result: Json } | { error: LoggedError } }
  | { kind: 'not_found' }
  | { kind: 'unknown'; error: LoggedError };

/** Asks a `lookup` tool's `find` by key. Whatever is not a clear answer counts as unknown. */
export async function askDownstream(
  visit: Visit,
  tool: Tool,
  call: ToolCall,
  args: Json,
): Promise<AskAnswer> {
  const { find } = tool.effect;
  if (!find) return unknown('no_find', `tool ${tool.name} has no \`find\` any more`);
  const { runId } = visit.run;
  const { signal, expired, clear } = deadlineSignal(tool.timeoutMs);
  try {
    const answer: unknown = await Promise.race([
      find(`${runId}:${call.step}`, cloneJson(args), { runId, step: call.step, signal }),
      expired,
    ]);
    if (answer === 'not_found') return { kind: 'not_found' };
    if (typeof answer === 'object' && answer !== null && 'found' in answer) return found(tool, answer.found);
    return unknown('find_unknown', `\`find\` of ${tool.name} cannot tell what became of the call`);
  } catch (error) {
    return { kind: 'unknown', error: loggedError(error, 'find_failed') };
  } finally {
    clear();
  }
}

function found(tool: Tool, value: unknown): AskAnswer {
  const result = value === undefined ? null : value;
  const copied = copyJson(result);
  if ('value' in copied) return { kind: 'found', fields: { result: copied.value } };
  const message = `${tool.name} was done, but its result is not JSON: ${copied.problem}`;
  return { kind: 'found', fields: { error: { code: 'result_not_json', message } } };
}

function unknown(code: string, message: string): AskAnswer {
  return { kind: 'unknown', error: { code, message } };
}

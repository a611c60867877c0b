import type { Agent } from '../agent.ts';
import type { LoggedError } from '../core/event-parts.ts';
import type { Json } from '../core/json.ts';
import type { ToolCall } from '../core/state.ts';
import { type Completion, toolCalls } from '../models/completion.ts';
import { parseArguments } from './parse-arguments.ts';
import { fetchPayload } from './payloads.ts';
import type { Visit } from './visit.ts';

/** A call's arguments: those that its first attempt or its interrupt has logged, else parsed from the completion. */
export async function argumentsOf(
  visit: Visit,
  agent: Agent,
  call: ToolCall,
): Promise<{ args: Json } | { error: LoggedError }> {
  const { rt, run, state } = visit;
  if (call.args) return { args: await fetchPayload(rt, run, call.args) };
  const completion = (await fetchPayload(
    rt,
    run,
    state.turn?.response.completion ?? { value: null },
  )) as unknown as Completion;
  const part = toolCalls(completion)[call.index];
  return parseArguments(agent, call.name, part?.input ?? '');
}

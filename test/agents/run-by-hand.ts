import { randomUUID } from 'node:crypto';
import type {
  LanguageModelV4Content,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultPart,
} from '@ai-sdk/provider';
import type { Agent, ToolContext } from '../../lib/index.ts';

type Output = LanguageModelV4ToolResultPart['output'];

/**
 * Runs an agent in a bare loop, with nothing of the runtime, to see what its model and its tools do together.
 *
 * @param options.answer answers a call in the tool's place.
 */
export async function runByHand(
  agent: Agent,
  question: string,
  options: { answer?: (tool: string) => Output | undefined } = {},
): Promise<{ runId: string; output: string; calls: { name: string; args: unknown; output: Output }[] }> {
  const runId = randomUUID();
  const prompt: LanguageModelV4Prompt = [{ role: 'user', content: [{ type: 'text', text: question }] }];
  const calls: { name: string; args: unknown; output: Output }[] = [];
  for (;;) {
    const { content } = await agent.model.doGenerate({ prompt });
    const results: LanguageModelV4ToolResultPart[] = [];
    for (const part of content) {
      if (part.type !== 'tool-call') continue;
      const { toolCallId, toolName } = part;
      const args: unknown = JSON.parse(part.input);
      const output =
        options.answer?.(toolName) ??
        (await execute(agent, toolName, { args, key: `${runId}:${calls.length}` }));
      calls.push({ name: toolName, args, output });
      results.push({ type: 'tool-result', toolCallId, toolName, output });
    }
    if (results.length === 0) {
      return {
        runId,
        output: content.map((part) => (part.type === 'text' ? part.text : '')).join(''),
        calls,
      };
    }
    prompt.push(
      { role: 'assistant', content: content.flatMap(givenBack) },
      { role: 'tool', content: results },
    );
  }
}

type AssistantPart = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'][number];

function givenBack(part: LanguageModelV4Content): AssistantPart[] {
  if (part.type === 'text') return [{ type: 'text', text: part.text }];
  if (part.type !== 'tool-call') return [];
  const { toolCallId, toolName, input } = part;
  return [{ type: 'tool-call', toolCallId, toolName, input: JSON.parse(input) as unknown }];
}

async function execute(agent: Agent, name: string, call: { args: unknown; key: string }): Promise<Output> {
  const tool = agent.tools.find((tool) => tool.name === name);
  if (!tool) throw new Error(`no tool ${name}`);
  const value = await tool.run(tool.input.parse(call.args), context(call.key));
  return { type: 'json', value: value as Extract<Output, { type: 'json' }>['value'] };
}

/** A context for a call with this idempotency key. */
export function context(idempotencyKey: string): ToolContext {
  return {
    runId: 'run',
    step: 1,
    attempt: 1,
    idempotencyKey,
    state: { get: () => undefined, set: () => {} },
    subkey: (n) => `${idempotencyKey}:${n}`,
    signal: new AbortController().signal,
    log: () => {},
    fetch: (input, init) => {
      const headers = new Headers(init?.headers);
      headers.set('Idempotency-Key', idempotencyKey);
      return fetch(input, { ...init, headers });
    },
  };
}

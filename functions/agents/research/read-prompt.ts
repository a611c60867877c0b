import type { LanguageModelV4Prompt, LanguageModelV4ToolResultPart } from '@ai-sdk/provider';

/** The text of the first user message. */
export function questionIn(prompt: LanguageModelV4Prompt): string {
  const message = prompt.find(({ role }) => role === 'user');
  if (message?.role !== 'user') return '';
  return message.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}

/** How a call of a tool ended, as far as a prompt shows it. */
export type Shown = { value: unknown } | { problem: string };

/** The ends of all calls of a tool, in their order. */
export function resultsIn(prompt: LanguageModelV4Prompt, toolName: string): Shown[] {
  const parts = prompt.flatMap((message) => (message.role === 'tool' ? message.content : []));
  return parts
    .filter(
      (part): part is LanguageModelV4ToolResultPart =>
        part.type === 'tool-result' && part.toolName === toolName,
    )
    .map(({ output }) => shown(output));
}

function shown(output: LanguageModelV4ToolResultPart['output']): Shown {
  switch (output.type) {
    case 'json':
    case 'text':
      return { value: output.value };
    case 'execution-denied':
      return { problem: `denied${output.reason ? `: ${output.reason}` : ''}` };
    case 'error-text':
      return { problem: output.value };
    default:
      return { problem: JSON.stringify(output.value) };
  }
}

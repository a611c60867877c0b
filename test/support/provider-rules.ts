import type { LanguageModelV4Prompt } from '@ai-sdk/provider';

/** What a provider would refuse in a prompt, in words; undefined where it accepts it. */
export function refusal(prompt: LanguageModelV4Prompt): string | undefined {
  const messages = prompt.filter((message) => message.role !== 'system');
  if (messages[0]?.role !== 'user') return 'the conversation does not begin with the user';
  if (messages.at(-1)?.role === 'assistant') return 'the conversation ends with the assistant';
  for (const [index, message] of messages.entries()) {
    const next = messages[index + 1];
    const previous = messages[index - 1];
    if (message.role === 'assistant') {
      const asked = message.content.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []));
      const answered =
        next?.role === 'tool'
          ? next.content.flatMap((part) => (part.type === 'tool-result' ? [part.toolCallId] : []))
          : [];
      if (asked.join() !== answered.join()) return `calls ${asked.join()} are answered by ${answered.join()}`;
    }
    if (message.role === 'tool' && previous?.role !== 'assistant') return 'results stand without their calls';
  }
  return undefined;
}

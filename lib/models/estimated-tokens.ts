import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider';

const BYTES_PER_TOKEN = 4;
/** What providers charge for an image of a usual size, whatever its bytes. */
const TOKENS_PER_FILE = 1_600;

/** What a prompt is expected to cost. */
export function estimatedTokens(prompt: LanguageModelV4Prompt): number {
  return prompt.reduce((sum, message) => sum + tokensOf(message), 0);
}

function tokensOf({ content }: LanguageModelV4Message): number {
  if (typeof content === 'string') return Math.ceil(bytesOf(content) / BYTES_PER_TOKEN);
  const isFile = (part: (typeof content)[number]) => part.type === 'file' && part.data.type !== 'text';
  const files = content.filter(isFile);
  const others = content.filter((part) => !isFile(part));
  return files.length * TOKENS_PER_FILE + Math.ceil(bytesOf(others) / BYTES_PER_TOKEN);
}

/** About the bytes of its JSON. */
function bytesOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value !== 'object' || value === null) return BYTES_PER_TOKEN;
  return Object.entries(value).reduce(
    (sum, [key, each]) => sum + key.length + bytesOf(each) + BYTES_PER_TOKEN,
    0,
  );
}

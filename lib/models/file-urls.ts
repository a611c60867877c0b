import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider';

/** A prompt as providers want it: they take the addresses of files as `URL`, which JSON has as strings. */
export function withFileUrls(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  return prompt.map((message) =>
    message.role === 'user' || message.role === 'assistant'
      ? ({ ...message, content: message.content.map(withUrl) } as LanguageModelV4Message)
      : message,
  );
}

interface FilePart {
  readonly type: string;
  readonly data?: { readonly type?: string; readonly url?: unknown };
}

function withUrl<P extends { readonly type: string }>(part: P): P {
  if (part.type !== 'file' && part.type !== 'reasoning-file') return part;
  const { data } = part as FilePart;
  if (data?.type !== 'url' || typeof data.url !== 'string' || !URL.canParse(data.url)) return part;
  const url = new URL(data.url);
  const changed = url.href === data.url ? {} : { originalUrl: data.url };
  return { ...part, data: { type: 'url', url, ...changed } };
}

import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4TextPart,
} from '@ai-sdk/provider';
import type { Json } from '../core/json.ts';

type UserPart = LanguageModelV4TextPart | LanguageModelV4FilePart;
type Fields = { readonly [key: string]: Json | undefined };

/**
 * What a user says, as a prompt has it: a string as it is, an array of the AI SDK's content parts (text, file) as such, any
 * other JSON as its text. It stays JSON, so URLs are strings in it.
 */
export function userContent(content: Json): Extract<LanguageModelV4Message, { role: 'user' }>['content'] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  const parts = Array.isArray(content) ? content.map(userPart) : [];
  return parts.length > 0 && parts.every((part) => part !== undefined)
    ? parts
    : [{ type: 'text', text: JSON.stringify(content) }];
}

function userPart(given: Json): UserPart | undefined {
  const part = fieldsOf(given);
  if (part.type === 'text') return typeof part.text === 'string' ? (given as unknown as UserPart) : undefined;
  if (part.type !== 'file' || typeof part.mediaType !== 'string') return undefined;
  const data = fileData(part.data);
  return data === undefined ? undefined : ({ ...part, data } as unknown as UserPart);
}

/** Base64 text, a URL, or what says itself which of these it is. */
function fileData(data: Json | undefined): Json | undefined {
  if (typeof data === 'string') {
    // A colon is no letter of base64.
    if (!data.includes(':')) return { type: 'data', data };
    return dataUrl(data) ?? (URL.canParse(data) ? { type: 'url', url: data } : undefined);
  }
  const { type, data: bytes, url, reference, text } = fieldsOf(data);
  switch (type) {
    case 'data':
      return typeof bytes === 'string' ? { type, data: bytes } : undefined;
    case 'url':
      return typeof url === 'string'
        ? (dataUrl(url) ?? (URL.canParse(url) ? { type, url } : undefined))
        : undefined;
    case 'reference':
      return typeof reference === 'object' && reference !== null ? { type, reference } : undefined;
    case 'text':
      return typeof text === 'string' ? { type, text } : undefined;
    default:
      return undefined;
  }
}

/** The content of a `data:` URL, which no provider fetches. */
function dataUrl(url: string): Json | undefined {
  const data = /^data:[^,]*;base64,(.*)$/is.exec(url)?.[1];
  return data === undefined ? undefined : { type: 'data', data };
}

function fieldsOf(value: Json | undefined): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

import { APICallError } from '@ai-sdk/provider';

/** What an error says, its causes included. */
export interface Clues {
  /** Of the provider's HTTP response. */
  readonly status?: number;
  readonly names: readonly string[];
  /** Of the operating system, of the provider's error body, and of its error header. */
  readonly codes: readonly string[];
  readonly words: string;
  /** It says of itself that the same may be tried again. */
  readonly retryable: boolean;
  /** The provider named a time to wait. */
  readonly waits: boolean;
}

const DEEPEST = 12;
const LONGEST = 4_000;

/** Never throws, whatever was thrown: what cannot be read gives no clue. */
export function cluesOf(error: unknown): Clues {
  try {
    return read(error);
  } catch {
    return { names: [], codes: [], words: '', retryable: false, waits: false };
  }
}

function read(error: unknown): Clues {
  const names: string[] = [];
  const codes: unknown[] = [];
  const words: string[] = [];
  let status: number | undefined;
  let waits = false;
  for (let at = error; at instanceof Error && names.length < DEEPEST; at = at.cause) {
    names.push(at.name);
    words.push(at.message.slice(0, LONGEST));
    codes.push((at as { code?: unknown }).code);
    if (!APICallError.isInstance(at)) continue;
    status ??= at.statusCode;
    waits ||= at.responseHeaders?.['retry-after'] !== undefined;
    const { text, body } = bodyOf(at.responseBody);
    words.push(text.slice(0, LONGEST));
    codes.push(...codesOf(body), at.responseHeaders?.['x-amzn-errortype']?.split(/[:#]/)[0]);
  }
  return {
    ...(status !== undefined && { status }),
    names,
    codes: codes.filter((code) => typeof code === 'string'),
    words: words.join('\n'),
    retryable: saysRetryable(error),
    waits,
  };
}

/** Some of the AI SDK's providers put the parsed body where its text belongs. */
function bodyOf(given: unknown): { text: string; body: unknown } {
  if (typeof given !== 'string') return { text: JSON.stringify(given) ?? '', body: given };
  try {
    return { text: given, body: JSON.parse(given) as unknown };
  } catch {
    return { text: given, body: undefined };
  }
}

function codesOf(body: unknown): unknown[] {
  const { error, type, code } = (body ?? {}) as { error?: unknown; type?: unknown; code?: unknown };
  const inner = (error ?? {}) as { type?: unknown; code?: unknown };
  return [inner.code, inner.type, code, type];
}

function saysRetryable(error: unknown): boolean {
  if (APICallError.isInstance(error)) return error.isRetryable;
  return (error as { retryable?: unknown } | undefined)?.retryable === true;
}

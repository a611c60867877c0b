/** What could be read of a thrown value. */
export interface ErrorFacts {
  readonly isError: boolean;
  readonly name?: string;
  readonly message: string;
  readonly code?: string;
  readonly syscall?: string;
  readonly retryable?: boolean;
  readonly outcome?: string;
}

const DEEPEST = 8;

/**
 * A thrown value and its causes, as plain facts. Anything may be thrown, with getters that throw and causes that go round:
 * this never throws, and ends.
 */
export function errorChain(thrown: unknown): ErrorFacts[] {
  const chain: ErrorFacts[] = [];
  const seen = new Set<unknown>();
  let at: unknown = thrown;
  while (at !== undefined && at !== null && !seen.has(at) && chain.length < DEEPEST) {
    seen.add(at);
    chain.push(factsOf(at));
    at = typeof at === 'object' ? read(at, 'cause') : undefined;
  }
  return chain;
}

function factsOf(thrown: unknown): ErrorFacts {
  if (typeof thrown !== 'object' || thrown === null) return { isError: false, message: words(thrown) };
  const text = (key: string) => {
    const value = read(thrown, key);
    return value === undefined ? {} : { [key]: words(value) };
  };
  const retryable = read(thrown, 'retryable');
  const message = read(thrown, 'message');
  return {
    isError: isError(thrown),
    message: typeof message === 'string' ? message : '',
    ...text('name'),
    ...text('code'),
    ...text('syscall'),
    ...text('outcome'),
    ...(typeof retryable === 'boolean' && { retryable }),
  };
}

function read(from: object, key: string): unknown {
  try {
    return Reflect.get(from, key);
  } catch {
    return undefined;
  }
}

function isError(value: object): boolean {
  try {
    return value instanceof Error;
  } catch {
    return false;
  }
}

function words(value: unknown): string {
  try {
    return String(value);
  } catch {
    return 'a value that has no words';
  }
}

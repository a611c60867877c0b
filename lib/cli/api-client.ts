import { StepfoldError } from '../core/errors.ts';
import { assertToken } from '../http/bearer-token.ts';
import { startServer } from './command-name.ts';
import { DEFAULT_URL } from './default-address.ts';

/** Longer than the API may hold an answer back. */
const TIMEOUT_MS = 60_000;

/** The HTTP API as commands use it. */
export interface ApiClient {
  readonly url: string;
  /** @throws StepfoldError the problem's code with its details; `no_server`, `not_stepfold`, `bad_token`. */
  get<T>(path: string): Promise<T>;
  post<T>(path: string, body: unknown, headers?: Record<string, string>): Promise<T>;
}

/** The API at `--url`, STEPFOLD_URL or the embedded world's usual place. Shows STEPFOLD_TOKEN where it is set. */
export function apiClient(args: { url?: string | undefined }): ApiClient {
  const url = baseUrl(args.url ?? process.env.STEPFOLD_URL ?? DEFAULT_URL);
  const token = process.env.STEPFOLD_TOKEN;
  if (token) assertToken(token);
  const ask = async <T>(path: string, init: RequestInit): Promise<T> => {
    const headers = new Headers(init.headers);
    if (token) headers.set('authorization', `Bearer ${token}`);
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(`${url}${path}`, { ...init, headers, signal }).catch((cause) => {
      throw unreachable(url, cause);
    });
    return (await read(response, url)) as T;
  };
  return {
    url,
    get: (path) => ask(path, {}),
    post: (path, body, headers) =>
      ask(path, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { ...headers, 'content-type': 'application/json' },
      }),
  };
}

function baseUrl(given: string): string {
  const url = URL.parse(given);
  if (url && (url.protocol === 'http:' || url.protocol === 'https:')) return url.href.replace(/\/+$/, '');
  throw new StepfoldError(
    'bad_url',
    `expected a URL such as ${DEFAULT_URL} in --url or STEPFOLD_URL, got ${JSON.stringify(given)}`,
  );
}

async function read(response: Response, url: string): Promise<unknown> {
  const type = response.headers.get('content-type') ?? 'no content type';
  const text = await response.text().catch((cause) => {
    throw unreachable(url, cause);
  });
  if (type.startsWith('application/problem+json')) {
    const { type: _, title: __, code, detail, ...details } = JSON.parse(text);
    throw new StepfoldError(String(code), String(detail), { details });
  }
  if (response.ok && type.startsWith('application/json')) return JSON.parse(text);
  throw new StepfoldError(
    'not_stepfold',
    `expected the Stepfold API at ${url}, but it answers ${response.status} with ${type}; check --url`,
  );
}

function unreachable(url: string, cause: unknown): StepfoldError {
  const reason = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  const { code, name } = reason as { code?: unknown; name?: unknown };
  // The code of a DOMException, such as that of a timeout, is a number.
  const said = typeof code === 'string' ? code : name;
  return new StepfoldError(
    'no_server',
    `no server answers at ${url} (${String(said)}). Start one with ${startServer()}, or name another with --url or STEPFOLD_URL.`,
    { details: { url } },
  );
}

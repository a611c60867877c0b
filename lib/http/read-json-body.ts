import { isStepfoldError, StepfoldError } from '../core/errors.ts';

/** Lambda takes 6 MB, counted after escaping. */
const MAX_BODY_BYTES = 2_500_000;

/**
 * The JSON value that a request carries; an empty object where it is optional and there is none. Reads no more than the
 * limit, whatever `content-length` says.
 *
 * @throws StepfoldError `unsupported_media_type`, `body_too_large`, `body_cut_off`, `malformed_json`.
 */
export async function readJsonBody(
  request: Request,
  { optional = false }: { optional?: boolean | undefined } = {},
): Promise<unknown> {
  const bytes = await readBounded(request);
  if (optional && bytes.length === 0) return {};
  assertJsonType(request.headers);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    const said = cause instanceof Error ? cause.message : String(cause);
    throw new StepfoldError(
      'malformed_json',
      `expected a body of JSON in UTF-8, got ${bytes.length} bytes: ${said}`,
      { cause },
    );
  }
}

function assertJsonType(headers: Headers): void {
  const type = headers.get('content-type');
  const coding = headers.get('content-encoding') ?? 'identity';
  if (/^application\/json *(; *charset="?utf-8"?)? *$/i.test(type ?? '') && coding === 'identity') return;
  throw new StepfoldError(
    'unsupported_media_type',
    `expected content-type application/json, not encoded; got ${type ?? 'none'}${coding === 'identity' ? '' : `, encoded as ${coding}`}`,
  );
}

async function readBounded(request: Request): Promise<Uint8Array> {
  if (Number(request.headers.get('content-length')) > MAX_BODY_BYTES) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    // Leaving the loop by a throw cancels the stream.
    for await (const chunk of request.body ?? []) {
      size += chunk.byteLength;
      if (size > MAX_BODY_BYTES) throw tooLarge();
      chunks.push(chunk);
    }
  } catch (error) {
    throw isStepfoldError(error, 'body_too_large') ? error : cutOff(size, error);
  }
  return Buffer.concat(chunks);
}

/** Whoever sends a body may hang up in the middle of it. */
function cutOff(bytes: number, cause: unknown): StepfoldError {
  return new StepfoldError(
    'body_cut_off',
    `expected a whole body, but the connection was closed after ${bytes} bytes of it; nothing was done. Send it again.`,
    { cause },
  );
}

function tooLarge(): StepfoldError {
  return new StepfoldError(
    'body_too_large',
    `expected a body of at most ${MAX_BODY_BYTES} bytes; put what is larger where the agent's tools can read it, and send its address`,
    { details: { limit: MAX_BODY_BYTES } },
  );
}

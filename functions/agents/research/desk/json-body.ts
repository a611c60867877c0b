import * as z from 'zod';
import { Problem } from './problem.ts';

/**
 * The body of a request, checked.
 *
 * @throws Problem `not_json`, `malformed_json` or `invalid_body`, each saying what was expected.
 */
export function jsonBody<T>(text: string, contentType: string | undefined, schema: z.ZodType<T>): T {
  if (!contentType?.startsWith('application/json')) {
    throw new Problem(
      415,
      'not_json',
      `expected content-type application/json; got ${contentType ?? 'none'}`,
    );
  }
  const parsed = schema.safeParse(parseJson(text));
  if (!parsed.success) throw new Problem(400, 'invalid_body', z.prettifyError(parsed.error));
  return parsed.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Problem(
      400,
      'malformed_json',
      `expected a JSON body; ${error instanceof Error ? error.message : error}`,
    );
  }
}

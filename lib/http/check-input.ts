import type * as z from 'zod';
import { StepfoldError } from '../core/errors.ts';

/** The parts of a request that are checked, and the code of a misfit in each. */
const CODES = { path: 'bad_id', query: 'bad_query', headers: 'bad_key', body: 'bad_body' } as const;

/**
 * Parses one part of a request.
 *
 * @throws StepfoldError the part's code, or `unknown_property`, naming every place that does not fit.
 */
export function checkInput<S extends z.ZodType>(
  part: keyof typeof CODES,
  schema: S,
  value: unknown,
): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map((issue) => ({
    where: placeOf(part, issue),
    message: issue.message,
  }));
  const unknown = part === 'body' && parsed.error.issues.some((issue) => issue.code === 'unrecognized_keys');
  const said = issues.map(({ where, message }) => `${where}: ${message}`).join('; ');
  throw new StepfoldError(unknown ? 'unknown_property' : CODES[part], `${said}${properties(schema)}`, {
    details: { issues },
  });
}

function placeOf(part: string, issue: z.core.$ZodIssue): string {
  return issue.path.reduce<string>(
    (place, key) => (typeof key === 'number' ? `${place}[${key}]` : `${place}.${String(key)}`),
    part,
  );
}

function properties(schema: z.ZodType): string {
  const shape = (schema as Partial<z.ZodObject>).shape;
  return shape ? `. Expected ${Object.keys(shape).join(', ') || 'nothing'}.` : '';
}

import * as z from 'zod';
import { StepfoldError } from './errors.ts';

/**
 * The JSON Schema of a zod schema, as a model is sent it. Both directions are tried: what has no JSON form after parsing
 * could not be stored.
 *
 * @throws StepfoldError `schema_not_json`
 */
export function jsonSchemaOf(what: string, schema: z.ZodType): Record<string, unknown> {
  try {
    z.toJSONSchema(schema, { io: 'output' });
    const { $schema: _, ...json } = z.toJSONSchema(schema, { io: 'input' });
    return json;
  } catch (cause) {
    const said = cause instanceof Error ? cause.message : String(cause);
    throw new StepfoldError(
      'schema_not_json',
      `expected ${what} to be a schema that JSON Schema can express, but ${said}. ` +
        'Use strings (z.iso.datetime() for dates) and convert them where they are used.',
      { cause },
    );
  }
}

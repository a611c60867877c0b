import * as z from 'zod';

/** The schemas that the OpenAPI document lists under their names. */
export const namedSchemas = z.registry<{ id: string }>();

/** Gives a schema its name in the OpenAPI document. */
export function named<S extends z.ZodType>(id: string, schema: S): S {
  namedSchemas.add(schema, { id });
  return schema;
}

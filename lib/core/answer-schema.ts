import * as z from 'zod';
import type { Json } from './json.ts';

/** A JSON Schema as something that judges an answer; or, in words, why it is none. */
export function answerSchema(schema: Json): { judge: z.ZodType } | { error: string } {
  try {
    return { judge: z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]) };
  } catch (error) {
    return {
      error: `expected a JSON Schema for the answer, but ${error instanceof Error ? error.message : String(error)}`,
    };
  }
}

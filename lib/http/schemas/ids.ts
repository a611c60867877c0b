import * as z from 'zod';

/** No id can be read as a path, a key prefix or an escape sequence. */
export function idOf(what: string) {
  return z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, `expected the id of ${what}: letters, digits, _ and -, at most 64`);
}

export const runIdSchema = idOf('a run');
export const interruptIdSchema = idOf('an interrupt');
export const sha256Schema = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'expected a SHA-256 as 64 lower-case hexadecimal digits');

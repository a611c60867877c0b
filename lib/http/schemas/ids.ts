import * as z from 'zod';

/** Letters, digits, `_` and `-`, at most 64: no id can be read as a path, a key prefix or an escape sequence. */
export const runIdSchema = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'expected the id of a run: letters, digits, _ and -, at most 64');

export const interruptIdSchema = z
  .string()
  .regex(
    /^(?!.*\.\.)[A-Za-z0-9_.-]{1,64}$/,
    'expected the id of an interrupt: letters, digits, _, - and ., at most 64',
  );

export const sha256Schema = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'expected a SHA-256 as 64 lower-case hexadecimal digits');

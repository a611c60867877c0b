import * as z from 'zod';

/** A whole number in a query string. */
export function wholeNumber(range: { min: number; max: number }) {
  const said = `expected a whole number from ${range.min} to ${range.max}`;
  return z
    .string()
    .regex(/^-?\d{1,15}$/, said)
    .transform(Number)
    .pipe(z.int().min(range.min, said).max(range.max, said));
}

const WAIT = 'expected seconds from 0 to 20';

/** How long an answer may be held back, in seconds. */
export const waitSchema = z
  .string()
  .regex(/^\d{1,2}(\.\d{1,3})?$/, WAIT)
  .transform(Number)
  .pipe(z.number().min(0, WAIT).max(20, WAIT));

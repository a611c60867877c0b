import * as z from 'zod';
import { StepfoldError } from './errors.ts';

const placeSchema = z.tuple([z.string(), z.string()]);

/** The place after which a list of runs goes on: the row last given. */
export function formatCursor(last: { createdAt: string; runId: string }): string {
  return Buffer.from(JSON.stringify([last.createdAt, last.runId])).toString('base64url');
}

/** @throws StepfoldError `bad_cursor` for a text that {@link formatCursor} did not make. */
export function parseCursor(cursor: string): { createdAt: string; runId: string } {
  try {
    const [createdAt, runId] = placeSchema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
    return { createdAt, runId };
  } catch (cause) {
    throw new StepfoldError(
      'bad_cursor',
      `expected the cursor of an earlier answer; got ${JSON.stringify(cursor.slice(0, 40))}. Ask again without a cursor.`,
      { cause },
    );
  }
}

import * as z from 'zod';
import { answerSchema } from '../core/answer-schema.ts';
import type { Json } from '../core/json.ts';
import { pauseTool } from './pause-tool.ts';
import { endOfWait } from './wait-limit.ts';

/** Asks a person and waits for the answer. Its result is the answer's value, or `{ timedOut: true }`. */
export const askHuman = pauseTool({
  name: 'askHuman',
  description: 'Ask a person a question and wait for the answer.',
  input: z.strictObject({
    question: z.string().min(1).max(10_000).describe('What the person is asked.'),
    schema: z.record(z.string(), z.unknown()).describe('A JSON Schema that the answer must fit.').optional(),
    timeout: z.string().describe('How long to wait, such as 2h or 7d.').optional(),
  }),
  reason: 'awaiting_input',
  open: ({ question, schema, timeout }, now) => {
    const read = schema && answerSchema(schema as Json);
    const bad = read && 'error' in read ? read.error : undefined;
    if (bad !== undefined) return { error: bad };
    const end = timeout === undefined ? undefined : endOfWait(timeout, now);
    if (end && 'error' in end) return end;
    return { question, ...(schema && { schema: schema as Json }), ...(end && { expiresAt: end.at }) };
  },
});

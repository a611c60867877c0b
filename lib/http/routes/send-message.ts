import * as z from 'zod';
import { sendMessage } from '../../runtime/tell-run.ts';
import { defineRoute } from '../route.ts';
import { runIdSchema } from '../schemas/ids.ts';
import { messageBodySchema, messageTakenSchema } from '../schemas/inbox.ts';

export const sendMessageRoute = defineRoute({
  method: 'post',
  path: '/runs/{runId}/messages',
  operationId: 'sendMessage',
  summary: "Put a user's message into the inbox of a run",
  params: z.strictObject({ runId: runIdSchema }),
  body: messageBodySchema,
  answers: {
    202: {
      description: 'The message is in the inbox. The same id again is the same answer.',
      schema: messageTakenSchema,
    },
  },
  problems: ['unknown_run', 'run_ended', 'not_json'],
  async handle({ params, body, identity }, { runtime }) {
    const { text, content = text, messageId, final } = body;
    const run = { tenant: identity.tenant, runId: params.runId };
    const taken = await sendMessage(runtime, run, {
      content,
      ...(messageId !== undefined && { messageId }),
      ...(final !== undefined && { final }),
    });
    return { status: 202, body: { runId: params.runId, ...taken } };
  },
});

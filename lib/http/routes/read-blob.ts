import * as z from 'zod';
import { readBlob } from '../../runtime/read-events.ts';
import { defineRoute } from '../route.ts';
import { runIdSchema, sha256Schema } from '../schemas/ids.ts';

export const readBlobRoute = defineRoute({
  method: 'get',
  path: '/runs/{runId}/blobs/{sha256}',
  operationId: 'readBlob',
  summary: 'Fetch one payload of a run',
  params: z.strictObject({ runId: runIdSchema, sha256: sha256Schema }),
  answers: { 200: { description: 'The payload, as JSON.', schema: z.unknown() } },
  problems: ['unknown_run', 'payload_altered', 'unknown_blob'],
  async handle({ params, identity }, { runtime }) {
    const { runId, sha256 } = params;
    const bytes = await readBlob(runtime, { tenant: identity.tenant, runId }, sha256);
    const headers = {
      'content-type': 'application/json',
      'cache-control': 'private, immutable',
      etag: `"${sha256}"`,
    };
    return new Response(new Uint8Array(bytes), { headers });
  },
});

import * as z from 'zod';
import { type Event, eventSchema } from '../../core/events.ts';
import type { RunKey } from '../../ports/run-key.ts';
import { readEvents } from '../../runtime/read-events.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { endsLog } from '../ends-log.ts';
import { hasGrown } from '../has-grown.ts';
import { inlinePayloads } from '../inline-payloads.ts';
import { defineRoute } from '../route.ts';
import { runIdSchema } from '../schemas/ids.ts';
import { named } from '../schemas/named.ts';
import { waitSchema, wholeNumber } from '../schemas/query.ts';
import { waitUntil } from '../wait-until.ts';

const DEFAULT_LIMIT = 100;
const FROM_THE_START = -1;

export const readEventsRoute = defineRoute({
  method: 'get',
  path: '/runs/{runId}/events',
  operationId: 'readEvents',
  summary: "Read a run's log",
  params: z.strictObject({ runId: runIdSchema }),
  query: z.strictObject({
    after: wholeNumber({ min: FROM_THE_START, max: Number.MAX_SAFE_INTEGER })
      .optional()
      .describe('Events with a greater seq are given; from the start where it is missing.'),
    limit: wholeNumber({ min: 1, max: 500 })
      .optional()
      .describe('At most so many; a page of large payloads is shorter.'),
    wait: waitSchema.optional().describe('Seconds to wait for the log to grow.'),
  }),
  answers: {
    200: {
      description: 'Events in order; none where there are no more.',
      schema: named('EventList', z.object({ events: z.array(named('Event', eventSchema)) })),
    },
  },
  problems: ['unknown_run', 'unknown_event'],
  async handle({ params, query, identity, signal }, { runtime }) {
    const run = { tenant: identity.tenant, runId: params.runId };
    const { after = FROM_THE_START, limit = DEFAULT_LIMIT, wait = 0 } = query;
    let events = await readEvents(runtime, run, { after, limit });
    if (events.length === 0 && wait > 0 && !(await endsAt(runtime, run, after))) {
      const grown = await waitUntil(() => hasGrown(runtime, run, after), {
        enough: Boolean,
        seconds: wait,
        signal,
      });
      if (grown) events = await readEvents(runtime, run, { after, limit });
    }
    return { status: 200, body: { events: await inlinePayloads(runtime, run, events) } };
  },
});

/** Whether the log ends at this seq for good, so that waiting for more is vain. */
async function endsAt(runtime: Runtime, run: RunKey, seq: number): Promise<boolean> {
  if (seq < 0) return false;
  const [event]: Event[] = await readEvents(runtime, run, { after: seq - 1, limit: 1 });
  return event !== undefined && event.seq === seq && endsLog(event);
}

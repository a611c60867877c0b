import type { Event } from '../core/events.ts';
import { endsLog } from '../http/ends-log.ts';
import type { ApiClient } from './api-client.ts';

const PAGE = 100;

/** A run's events in order as they come, up to its last. After each page `done` is asked whether that was enough. */
export async function* followEvents(
  api: ApiClient,
  options: { run: string; after: number; wait: number; done: (page: readonly Event[]) => Promise<boolean> },
): AsyncGenerator<Event> {
  let { after } = options;
  const path = `/runs/${encodeURIComponent(options.run)}/events`;
  for (let wait = 0; ; wait = options.wait) {
    const { events } = await api.get<{ events: Event[] }>(
      `${path}?after=${after}&limit=${PAGE}&wait=${wait}`,
    );
    for (const event of events) {
      yield event;
      after = event.seq;
      if (endsLog(event)) return;
    }
    if (await options.done(events)) return;
  }
}

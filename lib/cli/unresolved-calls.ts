import type { Event } from '../core/events.ts';
import type { RunView } from '../runtime/run-view.ts';
import type { ApiClient } from './api-client.ts';
import { callNames } from './call-names.ts';

const LAST = 200;

/** The calls of a cancelled run whose outcome nobody knows, with their tools: they are among its last events. */
export async function unresolvedCalls(api: ApiClient, run: RunView): Promise<string[]> {
  const { unresolved = [], runId, seq } = run;
  if (unresolved.length === 0) return [];
  const after = Math.max(-1, seq - LAST);
  const { events } = await api.get<{ events: Event[] }>(`/runs/${runId}/events?after=${after}&limit=${LAST}`);
  const names = callNames();
  for (const event of events) names.remember(event);
  return unresolved.map((callId) => `${names.of(callId) ?? 'call'} (${callId})`);
}

import type { Ref } from '../core/event-parts.ts';
import type { Event } from '../core/events.ts';
import type { Json } from '../core/json.ts';
import { payloadSlots } from '../core/payload.ts';
import type { RunKey } from '../ports/run-key.ts';
import { fetchPayload, isDamage } from '../runtime/payloads.ts';
import type { Runtime } from '../runtime/runtime.ts';

/** A larger payload is answered as its reference. */
const INLINE_BYTES = 256 * 1_024;
/** Lambda answers with at most 6 MB, escapes included. */
const PAGE_BYTES = 2_000_000;

/** Events with their payloads in place, the large ones as references. The page is cut where the answer would grow too big. */
export async function inlinePayloads(
  runtime: Runtime,
  run: RunKey,
  events: readonly Event[],
): Promise<Event[]> {
  const page: Event[] = [];
  let bytes = 0;
  for (const event of events) {
    bytes += sizeOf(event);
    if (page.length > 0 && bytes > PAGE_BYTES) break;
    page.push(await inlined(runtime, run, event));
  }
  return page;
}

function sizeOf(event: Event): number {
  const refs = payloadSlots(event).flatMap(({ holder, field }) => inlineRef(holder, field) ?? []);
  return refs.reduce((bytes, ref) => bytes + ref.bytes, JSON.stringify(event).length);
}

async function inlined(runtime: Runtime, run: RunKey, event: Event): Promise<Event> {
  const copy = structuredClone(event);
  for (const { holder, field } of payloadSlots(copy)) {
    const ref = inlineRef(holder, field);
    if (!ref) continue;
    const value = await fetched(runtime, run, ref);
    if (value === undefined) continue;
    holder[field] = value;
    delete holder[`${field}Ref`];
  }
  return copy;
}

/** A payload that is damaged stays a reference, so that all the rest can still be read. */
async function fetched(runtime: Runtime, run: RunKey, ref: Ref): Promise<Json | undefined> {
  try {
    return await fetchPayload(runtime, run, { ref });
  } catch (error) {
    if (isDamage(error)) return undefined;
    throw error;
  }
}

function inlineRef(holder: Record<string, unknown>, field: string): Ref | undefined {
  const ref = holder[`${field}Ref`] as Ref | undefined;
  return ref && ref.bytes <= INLINE_BYTES ? ref : undefined;
}

import type { Event, EventOf } from './events.ts';
import { payloadOf } from './payload.ts';
import type { Entry, EntryResult, Place } from './transcript.ts';

/** The entries that lie at a place; undefined where the log does not hold there what it should. */
export function entriesOfPlace(
  place: Place,
  events: { get(seq: number): Event | undefined },
): Entry[] | undefined {
  const [seq, ...results] = typeof place === 'number' ? [place] : place;
  const event = events.get(seq ?? -1);
  switch (event?.type) {
    case 'run_started':
      return [userEntry(event, 'input')];
    case 'message_received':
      return [userEntry(event, 'content')];
    case 'version_migrated':
      return [baseEntry(event)];
    case 'model_responded': {
      const returned = results.map((each) => events.get(each));
      if (!returned.every((each) => each?.type === 'tool_returned')) return undefined;
      const response = responseEntry(event);
      if (returned.length === 0) return [response];
      return [response, { role: 'tool', results: returned.map((each) => resultOfCall(event, each)) }];
    }
    default:
      return undefined;
  }
}

export function userEntry<F extends 'input' | 'content'>(
  event: { seq: number } & { readonly [K in F | `${F}Ref`]?: unknown },
  field: F,
): Entry & { role: 'user' } {
  return { role: 'user', seq: event.seq, content: payloadOf(event, field) ?? { value: null } };
}

export function baseEntry(event: EventOf<'version_migrated'>): Entry {
  return { role: 'base', seq: event.seq, messages: payloadOf(event, 'messages') ?? { value: [] } };
}

export function responseEntry(event: EventOf<'model_responded'>): Entry & { role: 'assistant' } {
  return {
    role: 'assistant',
    seq: event.seq,
    completion: payloadOf(event, 'completion') ?? { value: null },
  };
}

function resultOfCall(response: EventOf<'model_responded'>, event: EventOf<'tool_returned'>): EntryResult {
  const index = Number(event.callId.split('.')[1]);
  const { toolCallId = '', name = '' } = response.calls[index] ?? {};
  return { ...resultOf(event), toolCallId, name };
}

/** What a result brings with it; which call it answers is the response's to say. */
export function resultOf(event: EventOf<'tool_returned'>): Omit<EntryResult, 'toolCallId' | 'name'> {
  const payload = payloadOf(event, 'result');
  return {
    seq: event.seq,
    source: event.source,
    ...(payload && { payload }),
    ...(event.error && { error: event.error }),
  };
}

import type { LoggedError } from '../core/event-parts.ts';
import type { Event, EventOf } from '../core/events.ts';
import type { Json } from '../core/json.ts';
import { payloadOf } from '../core/payload.ts';
import { describeInterrupted, describeResumed } from './describe-wait.ts';
import { formatClock } from './format-time.ts';
import { brief, visible } from './visible.ts';
import { who } from './who.ts';

/** What happened, and whether it is good, bad, or asks somebody to act. */
export interface Described {
  kind: 'good' | 'bad' | 'ask' | 'plain';
  text: string;
}

/** Gives the tool's name of a call or an interrupt, where it is known. */
export type NameOf = (id: string) => string | undefined;

/** An event in words. */
export function describeEvent(event: Event, nameOf: NameOf): Described {
  const { kind, text } = inWords(event, nameOf);
  return { kind, text: visible(text) };
}

function inWords(event: Event, nameOf: NameOf): Described {
  const tool = (callId: string) => nameOf(callId) ?? `call ${callId}`;
  switch (event.type) {
    case 'run_started': {
      const parent = event.parent ? ` by run ${event.parent.runId}` : '';
      return plain(`${event.agent} started${parent}: ${shown(event, 'input')}`);
    }
    case 'model_call_requested':
      return plain(`model asked${again(event.attempt)}`);
    case 'model_responded':
      return plain(modelSaid(event));
    case 'model_call_failed':
      return bad(`model call failed, ${said(event.error)}${retry(event.retryAt)}`);
    case 'tool_call_requested':
      return plain(`${event.name} called${again(event.attempt)} (${event.effect}): ${shown(event, 'args')}`);
    case 'tool_returned':
      return toolReturned(event, tool(event.callId));
    case 'tool_call_failed': {
      const what = event.outcome === 'unknown' ? 'was cut off, nobody knows whether it happened' : 'failed';
      return bad(`${tool(event.callId)} ${what}: ${said(event.error)}${retry(event.retryAt)}`);
    }
    case 'state_patched':
      return plain(`${event.key} = ${shown(event, 'value')}`);
    case 'message_received':
      return plain(`${messageFrom(event)}: ${shown(event, 'content')}`);
    case 'signal_received':
      return plain(`signal ${event.name}: ${shown(event, 'payload')}`);
    case 'interrupted':
      return ask(describeInterrupted(event));
    case 'resumed':
      return plain(describeResumed(event, nameOf(event.interruptId)));
    case 'version_migrated':
      return plain(`migrated from revision ${event.from} to ${event.to}`);
    case 'cancel_requested':
      return ask(
        `cancel requested by ${who(event.by)}${event.reason === undefined ? '' : `: ${event.reason}`}`,
      );
    case 'run_completed':
      return { kind: 'good', text: `completed: ${shown(event, 'output')}` };
    case 'run_failed':
      return bad(`failed: ${said(event.error)}`);
    case 'run_cancelled': {
      const open = event.unresolved.map((callId) => `${tool(callId)} (${callId})`).join(', ');
      return bad(`cancelled by ${who(event.by)}${open && `; nobody knows whether it happened: ${open}`}`);
    }
  }
}

/** Only the runtime's own words about an answer come without an entry of the inbox. */
function messageFrom({ entry, final }: EventOf<'message_received'>): string {
  if (entry === undefined) return 'told the model';
  return final ? 'last message' : 'message';
}

function modelSaid(event: EventOf<'model_responded'>): string {
  const names = event.calls.map((call) => call.name);
  const { inputTokens, outputTokens } = event.usage;
  const tokens = `(${inputTokens} + ${outputTokens} tokens)`;
  if (names.length > 0) return `model wants ${names.join(', ')} ${tokens}`;
  return `model answered ${tokens}${textOf(event.completion)}`;
}

/** The text parts of a completion, where it stands in the event. */
function textOf(completion: Json | undefined): string {
  const parts = Array.isArray(completion)
    ? completion
    : ((completion as { content?: Json } | undefined)?.content ?? []);
  if (!Array.isArray(parts)) return '';
  const texts = parts
    .map((part) => (part as { text?: unknown } | null)?.text)
    .filter((text) => typeof text === 'string');
  return texts.length === 0 ? '' : `: ${brief(texts.join(' '))}`;
}

const SOURCES: Record<EventOf<'tool_returned'>['source'], string> = {
  executed: 'returned',
  reconciled: 'had happened and was not sent again',
  operator: 'was settled by a person',
  resumed: 'gave',
  denied: 'was denied and not sent',
  invalid: 'was not sent',
};

function toolReturned(event: EventOf<'tool_returned'>, name: string): Described {
  const failed = event.error !== undefined && (event.source === 'executed' || event.source === 'resumed');
  const text = `${name} ${failed ? 'failed' : SOURCES[event.source]}: ${event.error ? said(event.error) : shown(event, 'result')}`;
  return event.error ? bad(text) : plain(text);
}

function shown<F extends string>(event: object, field: F): string {
  const payload = payloadOf(event as { [K in F | `${F}Ref`]?: unknown }, field);
  if (payload === undefined) return 'nothing';
  return 'ref' in payload
    ? `${payload.ref.bytes} bytes (${payload.ref.sha256.slice(0, 12)}…)`
    : brief(payload.value);
}

function again(attempt: number): string {
  return attempt > 1 ? ` again, attempt ${attempt}` : '';
}

function retry(at: string | undefined): string {
  return at === undefined ? '' : `; tried again at ${formatClock(at).slice(0, 8)}`;
}

function said(error: LoggedError): string {
  return `${brief(error.message, 200)} (${error.code})`;
}

function plain(text: string): Described {
  return { kind: 'plain', text };
}

function bad(text: string): Described {
  return { kind: 'bad', text };
}

function ask(text: string): Described {
  return { kind: 'ask', text };
}

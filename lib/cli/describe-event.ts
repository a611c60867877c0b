import type { LoggedError } from '../core/event-parts.ts';
import type { Event, EventOf } from '../core/events.ts';
import type { Json } from '../core/json.ts';
import { payloadOf } from '../core/payload.ts';
import { formatClock, formatInstant } from './format-time.ts';
import { brief, visible } from './visible.ts';

/** What happened, and whether it is good, bad, or asks somebody to act. */
export interface Described {
  kind: 'good' | 'bad' | 'ask' | 'plain';
  text: string;
}

/** An event in words. `nameOf` gives the tool's name of a call. */
export function describeEvent(event: Event, nameOf: (callId: string) => string): Described {
  const { kind, text } = inWords(event, (callId) => visible(nameOf(callId)));
  return { kind, text: visible(text) };
}

function inWords(event: Event, nameOf: (callId: string) => string): Described {
  switch (event.type) {
    case 'run_started':
      return plain(`${event.agent} started: ${shown(event, 'input')}`);
    case 'model_call_requested':
      return plain(`model asked${again(event.attempt)}`);
    case 'model_responded':
      return plain(modelSaid(event));
    case 'model_call_failed':
      return bad(`model call failed, ${said(event.error)}${retry(event.retryAt)}`);
    case 'tool_call_requested':
      return plain(`${event.name} called${again(event.attempt)} (${event.effect}): ${shown(event, 'args')}`);
    case 'tool_returned':
      return toolReturned(event, nameOf(event.callId));
    case 'tool_call_failed': {
      const what = event.outcome === 'unknown' ? 'was cut off, nobody knows whether it happened' : 'failed';
      return bad(`${nameOf(event.callId)} ${what}: ${said(event.error)}${retry(event.retryAt)}`);
    }
    case 'state_patched':
      return plain(`${event.key} = ${shown(event, 'value')}`);
    case 'message_received':
      return plain(`message: ${shown(event, 'content')}`);
    case 'signal_received':
      return plain(`signal ${event.name}: ${shown(event, 'payload')}`);
    case 'interrupted':
      return interrupted(event);
    case 'resumed': {
      const { decision, note } = event.outcome;
      return plain(`resumed: ${decision} by ${event.by}${note === undefined ? '' : `: ${note}`}`);
    }
    case 'version_migrated':
      return plain(`migrated from revision ${event.from} to ${event.to}`);
    case 'cancel_requested':
      return ask(`cancel requested by ${event.by}${event.reason === undefined ? '' : `: ${event.reason}`}`);
    case 'run_completed':
      return { kind: 'good', text: `completed: ${shown(event, 'output')}` };
    case 'run_failed':
      return bad(`failed: ${said(event.error)}`);
    case 'run_cancelled':
      return bad(`cancelled by ${event.by}`);
  }
}

/** The words of an interrupt's reason. */
export const REASONS: Record<EventOf<'interrupted'>['reason'], string> = {
  awaiting_approval: 'waits for approval',
  awaiting_input: 'waits for an answer',
  awaiting_message: 'waits for a message',
  awaiting_signal: 'waits for a signal',
  timer: 'waits for a time',
  awaiting_child: 'waits for a child run',
  in_doubt: 'in doubt: nobody knows whether it happened',
  version_mismatch: 'waits because the agent has changed',
  budget_exceeded: 'waits because its budget is spent',
  provider_blocked: 'waits because the model provider refuses',
};

function interrupted(event: EventOf<'interrupted'>): Described {
  const about = event.summary ?? (payloadOf(event, 'args') ? shown(event, 'args') : undefined);
  const until = event.expiresAt === undefined ? '' : `, until ${formatInstant(event.expiresAt)}`;
  const tool = event.tool === undefined ? '' : `${event.tool} `;
  return ask(
    `${tool}${REASONS[event.reason]}${until}${about === undefined ? '' : `: ${brief(about)}`} [${event.interruptId}]`,
  );
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
  resumed: 'ended',
  denied: 'was denied and not sent',
  invalid: 'was not sent',
};

function toolReturned(event: EventOf<'tool_returned'>, name: string): Described {
  const failed = event.error !== undefined && event.source === 'executed';
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

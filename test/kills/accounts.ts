import { readFileSync } from 'node:fs';
import type { Desk } from '../../functions/agents/research/desk/desk.ts';
import type { Event, EventOf } from '../../lib/core/events.ts';
import type { SentCall } from './agents.ts';

/** How often each key was applied, by the desk's own record. */
export function appliedPerKey(desk: Desk): Map<string, number> {
  const applied = desk.record.all().filter(({ did }) => did === 'applied');
  return countBy(applied, ({ key }) => key);
}

/** How many items there are of each key. */
export function countBy<T>(items: readonly T[], keyOf: (item: T) => unknown): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) {
    const key = String(keyOf(item));
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

/** Keys whose calls the log says were done, and those that it says were not: what the desk must have applied. */
export function saidOfKeys(events: readonly Event[]): { done: string[]; notDone: string[] } {
  const keys = new Map<string, string>();
  const done: string[] = [];
  const notDone: string[] = [];
  for (const event of events) {
    if (event.type === 'tool_call_requested' && event.effect !== 'read')
      keys.set(event.callId, event.idempotencyKey);
    const key = event.type === 'tool_returned' && keys.get(event.callId);
    if (key) (event.error ? notDone : done).push(key);
  }
  return { done, notDone };
}

/** One model call of a run, as the log tells it and as the model heard it. */
export interface ModelCallAccount {
  readonly turn: number;
  readonly requests: number;
  readonly responses: number;
  /** Requests that stand after the response. */
  readonly late: number;
  readonly sent: number;
  /** Different prompts among those that were sent. */
  readonly prompts: number;
}

/** Compares the model's record with a log: the n-th model step of a run is its n-th turn. */
export function modelCallsOf(
  name: string,
  events: readonly Event[],
  sent: readonly SentCall[],
): ModelCallAccount[] {
  const steps = [...new Set(requestsIn(events).map(({ step }) => step))];
  return steps.map((step, turn) => {
    const requests = requestsIn(events).filter((event) => event.step === step);
    const responses = events.filter((event) => event.type === 'model_responded' && event.step === step);
    const heard = sent.filter((call) => call.name === name && call.turn === turn);
    return {
      turn,
      requests: requests.length,
      responses: responses.length,
      late: requests.filter(({ seq }) => seq > (responses[0]?.seq ?? Number.POSITIVE_INFINITY)).length,
      sent: heard.length,
      prompts: new Set(heard.map(({ promptHash }) => promptHash)).size,
    };
  });
}

function requestsIn(events: readonly Event[]): EventOf<'model_call_requested'>[] {
  return events.filter((event) => event.type === 'model_call_requested');
}

/** Every model call that was sent, in order. */
export function readSent(file: string): SentCall[] {
  return readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as SentCall);
}

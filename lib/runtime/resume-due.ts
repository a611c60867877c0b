import { ended } from '../core/entries.ts';
import type { Draft } from '../core/events.ts';
import type { OpenInterrupt, RunState } from '../core/state.ts';
import { fetchPayload } from './payloads.ts';
import { instant } from './surroundings.ts';
import type { Visit } from './visit.ts';

/** The end of the first wait that a kept signal or the time ends; the log orders which of them comes first. */
export async function dueResumption(visit: Visit): Promise<Draft[]> {
  const { state, rt } = visit;
  if (state.cancel) return [];
  const signalled = await signalEnds(visit, state);
  if (signalled.length > 0) return signalled;
  const now = rt.world.clock.now();
  const due = state.interrupts.find(
    (each) => TIMED.has(each.reason) && each.expiresAt !== undefined && Date.parse(each.expiresAt) <= now,
  );
  return due ? timeEnds(due, now) : [];
}

/** Waits that the time ends without anybody deciding anything. */
const TIMED: ReadonlySet<string> = new Set(['timer', 'awaiting_signal']);

function timeEnds(wait: OpenInterrupt, now: number): Draft[] {
  if (wait.callId === undefined) return [ended(wait, 'timer')];
  const result = wait.reason === 'timer' ? { wokeAt: instant(now) } : { timedOut: true };
  return [
    ended(wait, 'timer'),
    { type: 'tool_returned', step: wait.step, callId: wait.callId, source: 'resumed', result },
  ];
}

/** The end of the first open wait for a signal that has come already. */
export async function signalEnds(visit: Visit, state: RunState): Promise<Draft[]> {
  if (state.cancel) return [];
  for (const wait of state.interrupts) {
    if (wait.reason !== 'awaiting_signal' || wait.callId === undefined) continue;
    const signal = state.signals.find((each) => each.name === wait.name);
    if (!signal) continue;
    const payload = await fetchPayload(visit.rt, visit.run, signal.payload);
    const returned = {
      type: 'tool_returned' as const,
      step: wait.step,
      callId: wait.callId,
      source: 'resumed' as const,
    };
    return [ended(wait, 'signal'), { ...returned, result: { payload } }];
  }
  return [];
}

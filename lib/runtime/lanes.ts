import { MODEL } from '../core/next.ts';
import type { RunState } from '../core/state.ts';
import type { Lane } from '../ports/wakes.ts';
import type { Runtime } from './runtime.ts';

/** Tools with a timeout up to this go to the fast lane. */
const FAST_MS = 20_000;

/** The lane of an action; bookkeeping, where there is no action, is fast. */
export function laneOf(rt: Runtime, state: RunState, key: string | undefined): Lane {
  if (key === undefined) return 'fast';
  if (key === MODEL) return 'long';
  const name = state.turn?.calls.find((call) => call.callId === key)?.name;
  const tool = rt.agents.get(state.agent)?.tools.find((each) => each.name === name);
  return (tool?.timeoutMs ?? 0) > FAST_MS ? 'long' : 'fast';
}

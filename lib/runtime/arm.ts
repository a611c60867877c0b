import type { OpenInterrupt } from '../core/state.ts';
import { MAX_DELAY_MS, type Wake } from '../ports/wakes.ts';
import { laneOf } from './lanes.ts';
import type { Runtime } from './runtime.ts';
import type { Visit } from './visit.ts';

/** What falls due within this time is a delayed wake; what is farther off is a timer. */
const NEAR_MS = 120_000;

/** A delay that the wakes take: early is harmless, since who comes early looks and waits again. */
export function clampDelay(ms: number): number {
  return Math.max(0, Math.min(ms, MAX_DELAY_MS));
}

/** Wakes an action at its retry time or horizon. */
export async function armWait(visit: Visit, key: string, at: number): Promise<void> {
  const { rt, run, state } = visit;
  const wake: Wake = { ...run, action: key };
  await arm(rt, { name: `${run.tenant}.${run.runId}.${key}.${at}`, at, wake, lane: laneOf(rt, state, key) });
}

/** Arms the expiry of an interrupt. It goes to settle, which alone can write the slot, and never to a worker. */
export async function armExpiry(visit: Visit, interrupt: OpenInterrupt): Promise<void> {
  if (interrupt.expiresAt === undefined) return;
  const { rt, run } = visit;
  const { interruptId } = interrupt;
  const wake: Wake = { ...run, interruptId };
  const at = Date.parse(interrupt.expiresAt);
  await arm(rt, { name: `${run.tenant}.${run.runId}.${interruptId}`, at, wake, lane: 'settle' });
}

async function arm(rt: Runtime, timer: Parameters<Runtime['world']['timers']['arm']>[0]): Promise<void> {
  const delayMs = timer.at - rt.world.clock.now();
  if (delayMs > NEAR_MS) return rt.world.timers.arm(timer);
  await rt.world.wakes.send(timer.wake, { lane: timer.lane, delayMs: clampDelay(delayMs) });
}

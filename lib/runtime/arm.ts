import { decisionsFor } from '../core/decisions.ts';
import type { OpenInterrupt } from '../core/state.ts';
import { type Lane, MAX_DELAY_MS, type Wake } from '../ports/wakes.ts';
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

/**
 * Arms the time of an interrupt. Where a person may decide, it goes to settle, which alone can write the slot, and never
 * to a worker; a sleep or a wait for a signal ends by a worker's commit.
 */
export async function armInterrupt(visit: Visit, interrupt: OpenInterrupt): Promise<void> {
  if (interrupt.expiresAt === undefined) return;
  const { rt, run } = visit;
  const name = `${run.tenant}.${run.runId}.${interrupt.interruptId}`;
  const wake: Wake = { ...run, interruptId: interrupt.interruptId };
  await arm(rt, { name, at: Date.parse(interrupt.expiresAt), wake, lane: laneOfTime(interrupt) });
}

/**
 * A timer that came early is armed again by a delayed wake, and never under the same name, since that name may still
 * exist. Gives the interrupt that it was about.
 */
export async function armAgain(visit: Visit): Promise<OpenInterrupt | undefined> {
  const { rt, message, state } = visit;
  const { interruptId } = message.wake;
  const interrupt = state.interrupts.find((each) => each.interruptId === interruptId);
  const left =
    interrupt?.expiresAt === undefined ? 0 : Date.parse(interrupt.expiresAt) - rt.world.clock.now();
  if (!interrupt || left <= 0) return undefined;
  await rt.world.wakes.send(message.wake, { lane: laneOfTime(interrupt), delayMs: clampDelay(left) });
  return interrupt;
}

function laneOfTime({ reason }: OpenInterrupt): Lane {
  return decisionsFor(reason).length > 0 ? 'settle' : 'fast';
}

async function arm(rt: Runtime, timer: Parameters<Runtime['world']['timers']['arm']>[0]): Promise<void> {
  const delayMs = timer.at - rt.world.clock.now();
  if (delayMs > NEAR_MS) return rt.world.timers.arm(timer);
  await rt.world.wakes.send(timer.wake, { lane: timer.lane, delayMs: clampDelay(delayMs) });
}

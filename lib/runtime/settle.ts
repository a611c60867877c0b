import { decisionsFor, EXPIRED, EXPIRY } from '../core/decisions.ts';
import type { Message } from '../ports/wakes.ts';
import { clampDelay } from './arm.ts';
import { loadRun } from './load-run.ts';
import type { Runtime } from './runtime.ts';
import { instant } from './surroundings.ts';

/**
 * The target of expiry timers: it contests the slot of an interrupt whose time has come, and runs no agent code. Whoever
 * won the slot, a wake goes out, for the winner may have died before its own.
 */
export async function settle(rt: Runtime, message: Message): Promise<void> {
  const { tenant, runId, interruptId } = message.wake;
  const run = { tenant, runId };
  const { state } = await loadRun(rt, run);
  const interrupt = state.interrupts.find((each) => each.interruptId === interruptId);
  if (!interrupt?.expiresAt || decisionsFor(interrupt.reason).length === 0) return;
  const now = rt.world.clock.now();
  const left = Date.parse(interrupt.expiresAt) - now;
  if (left > 0) {
    // Too early: by a delayed message and never under the same name, since that name may still exist.
    return rt.world.wakes.send(message.wake, { lane: 'settle', delayMs: clampDelay(left) });
  }
  const expiry = { interruptId: interrupt.interruptId, decision: EXPIRED, by: EXPIRY, at: instant(now) };
  await rt.world.decisions.put(run, expiry);
  await rt.world.wakes.send({ ...run, news: true }, { lane: 'fast' });
}

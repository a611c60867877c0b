import { decisionsFor, EXPIRED, EXPIRY } from '../core/decisions.ts';
import type { RunState } from '../core/state.ts';
import type { Message } from '../ports/wakes.ts';
import { clampDelay } from './arm.ts';
import { loadRun } from './load-run.ts';
import type { Runtime } from './runtime.ts';
import { instant } from './surroundings.ts';

/** Who says in a slot that the code of a run is back. */
const DEPLOY = 'stepfold:deploy';

/**
 * The target of expiry timers: it contests the slot of an interrupt whose time has come, or whose cause is gone, and runs
 * no agent code. Whoever won the slot, a wake goes out, for the winner may have died before its own.
 */
export async function settle(rt: Runtime, message: Message): Promise<void> {
  const { tenant, runId, interruptId } = message.wake;
  const run = { tenant, runId };
  const { state } = await loadRun(rt, run);
  const interrupt = state.interrupts.find((each) => each.interruptId === interruptId);
  if (!interrupt || decisionsFor(interrupt.reason).length === 0) return;
  const now = rt.world.clock.now();
  const about = { interruptId: interrupt.interruptId, at: instant(now) };
  if (interrupt.reason === 'version_mismatch') {
    if (!isBack(rt, state)) return;
    await rt.world.decisions.put(run, { ...about, decision: 'reverted', by: DEPLOY });
  } else {
    if (interrupt.expiresAt === undefined) return;
    const left = Date.parse(interrupt.expiresAt) - now;
    if (left > 0) {
      // Too early: by a delayed message and never under the same name, since that name may still exist.
      return rt.world.wakes.send(message.wake, { lane: 'settle', delayMs: clampDelay(left) });
    }
    await rt.world.decisions.put(run, { ...about, decision: EXPIRED, by: EXPIRY });
  }
  await rt.world.wakes.send({ ...run, news: true }, { lane: 'fast' });
}

/** Whether the code that a run was written for is deployed again. */
function isBack(rt: Runtime, state: RunState): boolean {
  const agent = rt.agents.get(state.agent);
  return agent?.revision === state.revision && agent.promptHash === state.promptHash;
}

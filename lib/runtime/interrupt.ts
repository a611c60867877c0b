import type { LoggedError } from '../core/event-parts.ts';
import type { Draft } from '../core/events.ts';
import { lostAt } from '../core/next.ts';
import { payloadFields } from '../core/payload.ts';
import type { ToolCall } from '../core/state.ts';
import { sendWakes } from './claim.ts';
import { instant, surroundings } from './surroundings.ts';
import { commit, type Visit } from './visit.ts';

/** Opens an interrupt about a call. It is this visit's action; what else the run can do is woken first. */
export async function interrupt(visit: Visit, call: ToolCall, draft: Draft): Promise<void> {
  await sendWakes(visit, (each) => each !== call.callId);
  if (!(await commit(visit, [draft]))) return;
  visit.wakes.delete(call.callId);
  visit.acted = 'ours';
}

/** Puts a call before a person, because nobody else can know what became of it. It ends the call's claim. */
export async function doubt(visit: Visit, call: ToolCall, error?: LoggedError): Promise<void> {
  const around = surroundings(visit.rt);
  const margin = call.phase === 'unknown' ? around.margin : 0;
  const retryAfter = lostAt(call, around) + margin + (call.horizon ?? 0);
  await interrupt(visit, call, {
    type: 'interrupted',
    step: call.step,
    interruptId: `i${visit.state.head + 1}`,
    reason: 'in_doubt',
    callId: call.callId,
    tool: call.name,
    ...payloadFields('args', call.args),
    idempotencyKey: `${visit.run.runId}:${call.step}`,
    attempt: call.attempt,
    ...(call.effect && { effect: call.effect }),
    ...(call.lastClaimAt !== undefined && { sentAt: call.lastClaimAt }),
    ...(call.effect === 'once' && { retryAfter: instant(retryAfter) }),
    ...(error && { error }),
  });
}

import { cloneJson } from '../core/clone-json.ts';
import { StepfoldError } from '../core/errors.ts';
import type { Draft } from '../core/events.ts';
import { hashJson } from '../core/hash.ts';
import type { Json } from '../core/json.ts';
import type { ToolCall } from '../core/state.ts';
import { loggedError } from '../models/logged-error.ts';
import type { Tool } from '../tool.ts';
import { instant } from './surroundings.ts';
import type { Visit } from './visit.ts';

/** Whether a person must say yes first. A `when` that throws counts as yes: nobody was asked to wave it through. */
export async function needsApproval(tool: Tool, call: ToolCall, args: Json): Promise<boolean> {
  if (!tool.approval || call.attempt > 0 || call.approval) return false;
  try {
    return await tool.approval.when(cloneJson(args));
  } catch {
    return true;
  }
}

/** The interrupt by which a call is put before a person, bound to its exact arguments. */
export function askApproval(
  visit: Visit,
  { tool, call, args }: { tool: Tool; call: ToolCall; args: Json },
): Draft {
  const { summary, risk, expiresInMs } = tool.approval ?? {};
  const now = visit.rt.world.clock.now();
  const said = summary && summarise(() => summary(cloneJson(args)));
  return {
    type: 'interrupted',
    step: visit.state.step + 1,
    interruptId: `i${visit.state.head + 1}`,
    reason: 'awaiting_approval',
    callId: call.callId,
    tool: tool.name,
    args,
    argsHash: hashJson(args),
    schema: tool.inputSchema as unknown as Json,
    effect: tool.effect.kind,
    onExpiry: 'deny',
    ...(said !== undefined && { summary: said }),
    ...(risk !== undefined && { risk }),
    ...(expiresInMs !== undefined && { expiresAt: instant(now + expiresInMs) }),
  };
}

function summarise(summary: () => string): string {
  try {
    return String(summary()).slice(0, 1_000);
  } catch (error) {
    return `(the tool's summary failed: ${loggedError(error, '').message.slice(0, 200)})`;
  }
}

/**
 * The decision itself is read from its slot, which no step worker can write, and its hash compared with the bytes to be
 * sent: `resumed` in the log authorises nothing.
 *
 * @throws StepfoldError `approval_missing`
 */
export async function checkApproval(visit: Visit, call: ToolCall, args: Json): Promise<void> {
  if (!call.approval) return;
  const slot = await visit.rt.world.decisions.get(visit.run, call.approval.interruptId);
  if (slot?.decision === 'approve' && slot.argsHash === hashJson(args)) return;
  throw new StepfoldError(
    'approval_missing',
    `expected an approval of exactly these arguments in the slot of ${call.approval.interruptId} before ${call.name} is ` +
      `called in run ${visit.run.runId}; the slot holds ${slot ? `${slot.decision} of ${slot.argsHash ?? 'no arguments'}` : 'nothing'}. ` +
      'The log says otherwise: find out who wrote it.',
  );
}

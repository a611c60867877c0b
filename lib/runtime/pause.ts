import { childLimits } from '../core/budget.ts';
import type { Draft } from '../core/events.ts';
import { sha256 } from '../core/hash.ts';
import type { Json } from '../core/json.ts';
import type { ToolCall } from '../core/state.ts';
import type { Pause, Tool } from '../tool.ts';
import { instant } from './surroundings.ts';
import type { Visit } from './visit.ts';

/** The interrupt that a waiting tool's call opens, or what the model is told about its arguments. */
export function pauseDraft(
  visit: Visit,
  { tool, pause, call, args }: { tool: Tool; pause: Pause; call: ToolCall; args: Json },
): Draft | { error: { code: string; message: string } } {
  const { state, rt, run } = visit;
  const now = rt.world.clock.now();
  const terms = pause.open(args, now);
  if ('error' in terms) return { error: { code: 'invalid_arguments', message: terms.error } };
  if (pause.child && state.limits.depth === 0) {
    const message = 'No further run may stand below this one; do this work yourself.';
    return { error: { code: 'depth_exceeded', message } };
  }
  const interruptId = `i${state.head + 1}`;
  const { expiresAt, question, schema, name } = terms;
  return {
    type: 'interrupted',
    step: state.step + 1,
    interruptId,
    reason: pause.reason,
    callId: call.callId,
    tool: tool.name,
    args,
    ...(expiresAt !== undefined && { expiresAt: instant(expiresAt) }),
    ...(question !== undefined && { question }),
    ...(schema !== undefined && { schema }),
    ...(name !== undefined && { name }),
    ...(pause.child && {
      child: {
        runId: childRunId(run.tenant, run.runId, interruptId),
        agent: pause.child.name,
        limits: childLimits(state, now, pause.child.limits),
      },
    }),
  };
}

/** The child's id follows from its parent and the interrupt, so that it cannot be started twice. */
function childRunId(tenant: string, runId: string, interruptId: string): string {
  return `run_${sha256(JSON.stringify([tenant, runId, interruptId])).slice(0, 40)}`;
}

import { usedBy } from '../core/budget.ts';
import { isStepfoldError } from '../core/errors.ts';
import { hashJson } from '../core/hash.ts';
import type { Json } from '../core/json.ts';
import { type OpenChild, openChildren } from '../core/open-children.ts';
import { payloadFields } from '../core/payload.ts';
import { fetchPayload, storePayload } from './payloads.ts';
import { putFromOutside } from './put-from-outside.ts';
import { putIntoInbox } from './put-into-inbox.ts';
import { instant } from './surroundings.ts';
import type { Visit } from './visit.ts';

/** Starts the runs that this run waits for; one that was started before is left as it is. */
export async function startChildren(visit: Visit, filter: (child: OpenChild) => boolean): Promise<void> {
  for (const child of openChildren(visit.state).filter(filter)) await startChild(visit, child);
}

async function startChild(visit: Visit, child: OpenChild): Promise<void> {
  const { rt, run, state } = visit;
  const key = { tenant: run.tenant, runId: child.runId };
  if ((await rt.world.inbox.read(key, 0)).length > 0) return;
  const args = (await fetchPayload(rt, run, child.interrupt.args ?? { value: {} })) as { input?: Json };
  const input = args.input ?? null;
  const parent = {
    runId: run.runId,
    interruptId: child.interrupt.interruptId,
    depth: (state.parent?.depth ?? 0) + 1,
  };
  const stored = payloadFields('input', await storePayload(rt, key, input));
  const request = hashJson({ agent: child.agent, input, labels: {} });
  const body = {
    agent: child.agent,
    request,
    parent,
    ...stored,
    ...(child.limits && { limits: child.limits }),
  };
  const entry = {
    number: 0,
    id: child.runId,
    kind: 'start' as const,
    at: instant(rt.world.clock.now()),
    body,
  };
  await putFromOutside(rt, key, () => rt.world.inbox.append(key, entry));
}

/** Puts the end of a child run into its parent's inbox. A parent that has ended does not want to know. */
export async function tellParent(visit: Visit): Promise<void> {
  const { rt, run, state } = visit;
  if (!state.parent) return;
  const parent = { tenant: run.tenant, runId: state.parent.runId };
  const { interruptId } = state.parent;
  const output = state.output && (await storePayload(rt, parent, await fetchPayload(rt, run, state.output)));
  const body = {
    interruptId,
    runId: run.runId,
    status: state.status,
    ...payloadFields('output', output),
    ...(state.error && { error: state.error }),
    used: usedBy(state),
  };
  await unlessEnded(() => putIntoInbox(rt, parent, { kind: 'child_end', id: interruptId, body }));
}

/** Cancels the runs that this run waits for. One that was never started is started, so that it can end. */
export async function cancelChildren(visit: Visit): Promise<void> {
  const { rt, run, state } = visit;
  await startChildren(visit, () => true);
  for (const { runId } of openChildren(state)) {
    const by = `run:${run.runId}`;
    const body = {
      by,
      ...(state.cancel?.reason !== undefined && { reason: state.cancel.reason }),
    };
    await unlessEnded(() =>
      putIntoInbox(rt, { tenant: run.tenant, runId }, { kind: 'cancel', id: by, body }),
    );
  }
}

async function unlessEnded(put: () => Promise<unknown>): Promise<void> {
  try {
    await put();
  } catch (error) {
    if (!isStepfoldError(error, 'run_ended') && !isStepfoldError(error, 'unknown_run')) throw error;
  }
}

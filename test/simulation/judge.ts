import type { Event } from '../../lib/core/events.ts';
import type { MemoryWorld } from '../../lib/memory/memory-world.ts';
import type { RunKey } from '../../lib/ports/run-key.ts';
import { describeRun } from '../../lib/runtime/describe-run.ts';
import { readEvents } from '../../lib/runtime/read-events.ts';
import type { Runtime } from '../../lib/runtime/runtime.ts';
import { verifyRun } from '../../lib/runtime/verify-run.ts';
import type { FakeDownstream } from '../support/fake-downstream.ts';
import type { Promised } from './outside.ts';

/** What is wrong with a run that is over, in words: guarantees that do not hold, and promises that were not kept. */
export async function judge(
  rt: Runtime,
  run: RunKey,
  { downstream, promises }: { downstream: FakeDownstream; promises: readonly Promised[] },
): Promise<string[]> {
  const events = await readEvents(rt, run, { after: -1, limit: 10_000 });
  const children = events.flatMap((event) =>
    event.type === 'interrupted' && event.child ? [event.child.runId] : [],
  );
  const found = await judgeRun(rt, run, downstream);
  for (const runId of children) {
    const wrong = await judgeRun(rt, { ...run, runId }, downstream);
    found.push(...wrong.map((what) => `child: ${what}`));
  }
  const cancelled = events.some((event) => event.type === 'cancel_requested');
  for (const promise of promises) {
    const kept =
      promise.kind === 'decision' && cancelled ? true : events.some((event) => keeps(event, promise));
    if (!kept) found.push(`it was accepted, but is not in the log: ${JSON.stringify(promise)}`);
  }
  const left = (rt.world as MemoryWorld).pending().length;
  if (left > 0) found.push(`${left} messages are left`);
  if (found.length > 0) found.push(events.map(({ seq, type }) => `${seq} ${type}`).join(', '));
  return found;
}

async function judgeRun(rt: Runtime, run: RunKey, downstream: FakeDownstream): Promise<string[]> {
  const view = await describeRun(rt, run);
  const header = await rt.world.index.get(run);
  const { violations } = await verifyRun(rt, run, downstream.applied());
  return [
    ...violations.map(({ guarantee, message }) => `guarantee ${guarantee}: ${message}`),
    ...(view.endedAt === undefined ? [`it is ${view.status}`] : []),
    ...(header?.status === view.status ? [] : [`it is ${view.status}, its header says ${header?.status}`]),
    ...(header?.wakeAt === undefined ? [] : ['its header has a wakeAt']),
  ];
}

function keeps(event: Event, promise: Promised): boolean {
  switch (promise.kind) {
    case 'message':
      return event.type === 'message_received' && event.messageId === promise.id;
    case 'signal':
      return event.type === 'signal_received' && event.signalId === promise.id;
    case 'cancel':
      return event.type === 'cancel_requested';
    case 'decision': {
      const { interruptId, decision, by } = promise.decision;
      return (
        event.type === 'resumed' &&
        event.interruptId === interruptId &&
        event.outcome.decision === decision &&
        event.by === by
      );
    }
  }
}

import { isStepfoldError, type StepfoldError } from '../../lib/core/errors.ts';
import type { Event } from '../../lib/core/events.ts';
import type { MemoryWorld } from '../../lib/memory/memory-world.ts';
import type { RunKey } from '../../lib/ports/run-key.ts';
import { describeRun } from '../../lib/runtime/describe-run.ts';
import { readEvents } from '../../lib/runtime/read-events.ts';
import type { InterruptView } from '../../lib/runtime/run-view.ts';
import type { Runtime } from '../../lib/runtime/runtime.ts';
import { verifyRun } from '../../lib/runtime/verify-run.ts';
import type { FakeDownstream } from './fake-downstream.ts';
import { type Happening, isWorker, type Place } from './happenings.ts';
import type { Process } from './interleave.ts';

/** What must hold of the run and its children, whatever came first. */
export async function checkRun(
  rt: Runtime,
  run: RunKey,
  { place, downstream }: { place: Place; downstream: FakeDownstream },
): Promise<string[]> {
  const found: string[] = [];
  const events = await readEvents(rt, run, { after: -1, limit: 10_000 });
  const children = events.flatMap((event) =>
    event.type === 'interrupted' && event.child ? [event.child.runId] : [],
  );
  for (const runId of [run.runId, ...children]) {
    const key = { ...run, runId };
    const who = runId === run.runId ? 'the run' : 'the child';
    const view = await describeRun(rt, key);
    if (view.endedAt === undefined) found.push(`${who} is ${view.status} ${JSON.stringify(view.interrupts)}`);
    const header = await rt.world.index.get(key);
    if (header?.status !== view.status)
      found.push(`the header of ${who} says ${header?.status}, not ${view.status}`);
    if (header?.wakeAt !== undefined) found.push(`${who} is over, but its header has a wakeAt`);
    const { violations } = await verifyRun(rt, key, downstream.applied());
    found.push(...violations.map(({ guarantee, message }) => `${who}: guarantee ${guarantee}: ${message}`));
  }
  for (const event of events) {
    if (event.type !== 'interrupted') continue;
    const ends = events.filter((each) => each.type === 'resumed' && each.interruptId === event.interruptId);
    if (ends.length > 1)
      found.push(`${event.interruptId} (${event.reason}) was resumed ${ends.length} times`);
  }
  const world = rt.world as MemoryWorld;
  if (world.pending().length > 0) found.push(`${world.pending().length} messages are left`);
  const completed = events.at(-1)?.type === 'run_completed';
  const works = events.some((event) => event.type === 'tool_call_requested' && event.name === 'work');
  if (completed && works && downstream.count('work') === 0) found.push('the free call was never sent');
  if (place === 'in the middle of a run' && completed) {
    const returned = events.filter((event) => event.type === 'tool_returned').length;
    const asked = events.flatMap((event) => (event.type === 'model_responded' ? event.calls : [])).length;
    if (returned !== asked) found.push(`${asked} calls have ${returned} results`);
  }
  return found;
}

/** Accepted things are in the log, refused ones were told why. */
export async function checkPromises(
  rt: Runtime,
  run: RunKey,
  {
    kinds,
    processes,
    gate,
  }: { kinds: readonly Happening[]; processes: readonly Process[]; gate: InterruptView | undefined },
): Promise<string[]> {
  const found: string[] = [];
  const events = await readEvents(rt, run, { after: -1, limit: 10_000 });
  const count = (is: (event: Event) => boolean) => events.filter(is).length;
  const counts: Partial<Record<Happening, number>> = {
    message: count((event) => event.type === 'message_received' && event.messageId === 'm1'),
    signal: count((event) => event.type === 'signal_received' && event.signalId === 's1'),
    cancel: count((event) => event.type === 'cancel_requested'),
  };
  for (const [side, { name, outcome }] of processes.entries()) {
    const kind = kinds[side] as Happening;
    if (!outcome) found.push(`${name} is not done`);
    else if ('error' in outcome) {
      if (isWorker(kind) || !isStepfoldError(outcome.error)) found.push(`${name} failed: ${outcome.error}`);
      else found.push(...checkRefusal(kind, outcome.error, events.at(-1)?.type));
    } else if (kind === 'decision') {
      const by = side === 0 ? 'ann' : 'bob';
      const is = (event: Event) =>
        event.type === 'resumed' && event.interruptId === gate?.interruptId && event.by === by;
      const overtaken = counts.cancel !== 0;
      if (!overtaken && count(is) !== 1)
        found.push(`the decision of ${by} was accepted, but is not in the log`);
    } else if (counts[kind] === 0) found.push(`the ${kind} was accepted, but is not in the log`);
  }
  const twice = Object.entries(counts).filter(
    ([kind, times]) => times > 1 && !(kind === 'cancel' && kinds[0] === kinds[1]),
  );
  found.push(...twice.map(([kind, times]) => `the ${kind} is ${times} events`));
  const refused = processes.every((each) => each.outcome && 'error' in each.outcome);
  for (const kind of ['message', 'signal'] as const)
    if (kinds[0] === kind && kinds[1] === kind && refused && counts[kind] !== 0)
      found.push(`the ${kind} was refused, but is in the log`);
  return found;
}

function checkRefusal(kind: Happening, { code, details }: StepfoldError, last: string | undefined): string[] {
  const told: Partial<Record<Happening, readonly string[]>> = {
    decision: ['already_decided', 'run_cancelling', 'run_ended'],
    message: ['run_ended'],
    signal: ['run_ended'],
    cancel: ['run_ended'],
  };
  if (!told[kind]?.includes(code)) return [`the ${kind} was refused with ${code}`];
  if (code === 'already_decided' && !(details.by && details.at))
    return [`the ${kind} was not told who decided, and when`];
  return code === 'run_ended' && !last?.startsWith('run_')
    ? [`the ${kind} was told of an end that is none`]
    : [];
}

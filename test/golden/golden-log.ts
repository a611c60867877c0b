import { usedBy } from '../../lib/core/budget.ts';
import type { Used } from '../../lib/core/event-parts.ts';
import type { Event } from '../../lib/core/events.ts';
import { foldCommit } from '../../lib/core/fold.ts';
import { runnable, statusOf } from '../../lib/core/next.ts';
import { parseEvent } from '../../lib/core/parse-event.ts';
import { refsOf } from '../../lib/core/payload.ts';
import { emptyState } from '../../lib/core/state.ts';
import { createMemoryWorld, type MemoryWorld } from '../../lib/memory/memory-world.ts';
import { promptOf } from '../../lib/models/prompt.ts';
import type { Decision } from '../../lib/ports/decisions.ts';
import type { Commit } from '../../lib/ports/event-log.ts';
import type { InboxEntry } from '../../lib/ports/inbox.ts';
import type { Header } from '../../lib/ports/run-index.ts';
import type { RunKey } from '../../lib/ports/run-key.ts';
import { describeRun } from '../../lib/runtime/describe-run.ts';
import { loadTranscript } from '../../lib/runtime/load-transcript.ts';
import type { RunView } from '../../lib/runtime/run-view.ts';
import type { Runtime } from '../../lib/runtime/runtime.ts';
import { openVisit } from '../../lib/runtime/visit.ts';

/** A run as a release left it in its stores, and what that release made of it. */
export interface GoldenLog {
  readonly run: RunKey;
  /** The time at which it was left, in ms since the epoch. */
  readonly now: number;
  readonly commits: readonly Commit[];
  readonly inbox: readonly InboxEntry[];
  readonly decisions: readonly Decision[];
  readonly header?: Header;
  /** Base64, by their hashes. */
  readonly blobs: Readonly<Record<string, string>>;
  /** The states that the log folds to, by what is seen of them from outside. */
  readonly expected: Folded;
}

interface Folded {
  readonly view: RunView;
  /** What the next request to a model would say. */
  readonly prompt: unknown;
  /** What counts against its limits. */
  readonly used: Used;
  /** After each commit: where the run stood, and what could be done next. */
  readonly steps: readonly { seq: number; status: string; next: string[] }[];
}

/** Everything that the stores of a world hold of a run. */
export async function keep(rt: Runtime, run: RunKey): Promise<GoldenLog> {
  const world = rt.world as MemoryWorld;
  const commits = await world.log.read(run, { after: -1, limit: Number.MAX_SAFE_INTEGER });
  const events = commits.flatMap((commit) => commit.events as Event[]);
  const decisions: Decision[] = [];
  const blobs: Record<string, string> = {};
  for (const event of events) {
    const slot = event.type === 'interrupted' && (await world.decisions.get(run, event.interruptId));
    if (slot) decisions.push(slot);
    const hashes = refsOf(event).map(({ sha256 }) => sha256);
    if ('promptHash' in event) hashes.push(event.promptHash);
    for (const hash of hashes) {
      const bytes = await world.blobs.get(run, hash);
      if (bytes) blobs[hash] = Buffer.from(bytes).toString('base64');
    }
  }
  const header = await world.index.get(run);
  return {
    run,
    now: world.clock.now(),
    commits,
    inbox: await world.inbox.read(run, 0),
    decisions,
    ...(header && { header }),
    blobs,
    expected: await folded(rt, run, commits),
  };
}

/** A world that holds the run as it was left. */
export async function restore({ run, now, ...golden }: GoldenLog): Promise<MemoryWorld> {
  const world = createMemoryWorld({ start: now, seed: 7 });
  for (const commit of golden.commits) await world.log.append(run, commit);
  for (const entry of golden.inbox) await world.inbox.append(run, entry);
  for (const decision of golden.decisions) await world.decisions.put(run, decision);
  for (const [hash, text] of Object.entries(golden.blobs))
    await world.blobs.put(run, hash, Buffer.from(text, 'base64'));
  if (golden.header) await world.index.put(golden.header);
  return world;
}

const FAR = { now: Date.UTC(2100, 0, 1), margin: 0 };

/** The states that commits fold to, by what is seen of them from outside. */
export async function folded(rt: Runtime, run: RunKey, commits: readonly Commit[]): Promise<Folded> {
  let state = emptyState();
  const steps = commits.map((commit) => {
    state = foldCommit(state, { ...commit, events: commit.events.map(parseEvent) });
    return { seq: state.head, status: statusOf(state), next: runnable(state, FAR) };
  });
  const wake = { messageId: 'golden', wake: run, lane: 'fast' as const, receives: 1 };
  const { entries } = await loadTranscript(await openVisit(rt, wake, {}));
  return {
    view: await describeRun(rt, run),
    used: usedBy(state),
    prompt: promptOf('', entries, () => Number.POSITIVE_INFINITY),
    steps,
  };
}

import type { Agent } from '../agent.ts';
import { StepfoldError } from '../core/errors.ts';
import { type Draft, EVENT_VERSION, type Event } from '../core/events.ts';
import { foldCommit } from '../core/fold.ts';
import { sha256 } from '../core/hash.ts';
import { pendingTimes, runnable, statusOf } from '../core/next.ts';
import { assertReadable } from '../core/parse-event.ts';
import { isEnded, type RunState } from '../core/state.ts';
import type { Commit } from '../ports/event-log.ts';
import type { RunKey } from '../ports/run-key.ts';
import type { Lane, Message } from '../ports/wakes.ts';
import { announce } from './header.ts';
import { foldCommits, loadAgain } from './load-run.ts';
import { patiently } from './patiently.ts';
import { spill } from './payloads.ts';
import type { Runtime } from './runtime.ts';
import { instant, surroundings } from './surroundings.ts';

/** What an invocation may use up: where it ends by itself, and the lane it serves; nothing of it in the local world. */
export interface Invocation {
  /** ms since the epoch */
  readonly endsAt?: number;
  readonly lane?: Lane;
}

/** One worker's look at one run, from the receipt of a message to its ack. */
export interface Visit {
  readonly rt: Runtime;
  readonly run: RunKey;
  readonly message: Message;
  readonly invocation: Invocation;
  /** Fresh for each visit; under a directory lock it begins with the lock's id. */
  readonly owner: string;
  /** The newest view of the run. */
  state: RunState;
  snapshot: { seq: number; step: number };
  /** The hash of the last commit in the view, where that was seen. */
  last: string | undefined;
  /** The inbox and the slots are to be read. */
  news: boolean;
  /** The number of the first inbox entry that this visit has not seen. */
  readTo: number;
  /** Whether this visit has taken its action, and whether the outcome was still its own to commit. */
  acted: 'no' | 'ours' | 'lost';
  /** Another owner has committed through this visit's message. */
  strangers: boolean;
  /** Actions that this visit's commits made runnable. */
  readonly wakes: Set<string>;
  /** Dangling calls of a cancelled run that it has asked about, and what was answered. */
  readonly asked: Map<string, 'not_found' | 'unknown'>;
  /** It has told settle that the code of the run is back. */
  settled?: boolean;
  /** Actions that its commits made wait for a time. */
  readonly times: Set<string>;
  /** Interrupts that its commits opened. */
  readonly opened: Set<string>;
  /** Its commits changed where the run stands. */
  moved: boolean;
}

export async function openVisit(rt: Runtime, message: Message, invocation: Invocation): Promise<Visit> {
  const { ids, fence } = rt.world;
  const run = { tenant: message.wake.tenant, runId: message.wake.runId };
  const owner = `${fence.lock ? `${fence.lock.id}.` : ''}${ids.fresh()}`;
  const { state, snapshot, last } = await loadAgain(rt, run, message.wake.manifest);
  return {
    rt,
    run,
    message,
    invocation,
    owner,
    state,
    snapshot,
    last,
    news: message.wake.news === true,
    readTo: 0,
    acted: 'no',
    strangers: state.through.includes(message.messageId),
    wakes: new Set(),
    asked: new Map(),
    times: new Set(),
    opened: new Set(),
    moved: false,
  };
}

/**
 * Appends events at head + 1, atomically. False means that somebody else was there first: the view is then the newest,
 * and whatever was planned must be planned again.
 */
export async function commit(
  visit: Visit,
  drafts: readonly Draft[],
  until = visit.rt.world.clock.now() + PATIENCE_MS,
): Promise<boolean> {
  const { rt, run, owner, message } = visit;
  const seq = visit.state.head + 1;
  const at = instant(rt.world.clock.now());
  const sealed = drafts.map(
    (draft, index) => ({ v: EVENT_VERSION, seq: seq + index, at, ...draft }) as Event,
  );
  sealed.forEach(assertReadable);
  const spilled = await patiently(rt, until, () => Promise.all(sealed.map((event) => spill(rt, run, event))));
  const text = JSON.stringify(spilled);
  // The view shares nothing with what a model or a tool has in its hands, and is what a reader of the log will have.
  const events = JSON.parse(text) as Event[];
  const { messageId } = message;
  const made: Commit<Event> = { seq, events, owner, messageId, hash: sha256(text) };
  const after = foldCommit(visit.state, made);
  await patiently(rt, until, () => announce(visit, after));
  if (!(await patiently(rt, until, () => append(visit, made)))) {
    await catchUp(visit);
    return false;
  }
  visit.last = made.hash;
  note(visit, after);
  return true;
}

/** How long a commit waits for a store that is out of reach, where nothing else is said. */
export const PATIENCE_MS = 5_000;

/** Appends, and takes a lost response for what it is: the item that is there with our owner and hash is our own write. */
async function append(visit: Visit, made: Commit<Event>): Promise<boolean> {
  const { log } = visit.rt.world;
  if ((await log.append(visit.run, made)) === 'appended') return true;
  const [there] = await log.read(visit.run, { after: made.seq - 1, limit: 1 });
  return there?.seq === made.seq && there.owner === made.owner && there.hash === made.hash;
}

/** Folds what others have committed since this visit last looked. */
async function catchUp(visit: Visit): Promise<void> {
  const { rt, run, message, owner } = visit;
  const commits = await rt.world.log.read(run, { after: visit.state.head, limit: Number.MAX_SAFE_INTEGER });
  visit.strangers ||= commits.some((each) => each.messageId === message.messageId && each.owner !== owner);
  visit.state = foldCommits(visit.state, commits);
  visit.last = commits.at(-1)?.hash ?? visit.last;
}

function note(visit: Visit, after: RunState): void {
  const around = surroundings(visit.rt);
  const before = visit.state;
  const had = new Set(runnable(before, around));
  for (const key of runnable(after, around)) if (!had.has(key)) visit.wakes.add(key);
  const waits = (state: RunState) => pendingTimes(state, around).filter((time) => !time.claimed);
  const waited = new Set(waits(before).map((time) => `${time.key} ${time.at}`));
  for (const { key, at } of waits(after)) if (!waited.has(`${key} ${at}`)) visit.times.add(key);
  for (const { interruptId } of after.interrupts) {
    if (!before.interrupts.some((each) => each.interruptId === interruptId)) visit.opened.add(interruptId);
  }
  visit.moved ||= statusOf(before, around) !== statusOf(after, around) || isEnded(after);
  visit.state = after;
}

/**
 * The agent of the run.
 *
 * @throws StepfoldError `unknown_agent` when this deployment does not serve it.
 */
export function agentOf(rt: Runtime, name: string): Agent {
  const agent = rt.agents.get(name);
  if (agent) return agent;
  const known = [...rt.agents.keys()].join(', ');
  throw new StepfoldError(
    'unknown_agent',
    `expected an agent that this deployment serves (${known}), got ${JSON.stringify(name)}`,
  );
}

import { StepfoldError } from '../core/errors.ts';
import type { Event } from '../core/events.ts';
import { foldCommit } from '../core/fold.ts';
import { sha256 } from '../core/hash.ts';
import { parseEvent } from '../core/parse-event.ts';
import { emptyState, FOLD_VERSION, type RunState } from '../core/state.ts';
import { packPlaces, unpackPlaces } from '../core/transcript.ts';
import type { Commit, Manifest } from '../ports/event-log.ts';
import type { RunKey } from '../ports/run-key.ts';
import type { Runtime } from './runtime.ts';

/** A run's state, and the snapshot that it was folded from. */
export interface LoadedRun {
  state: RunState;
  /** The seq and the highest step of the snapshot; -1 and 0 without one. */
  snapshot: { seq: number; step: number };
  /** The hash of the last commit in it, where that was seen. */
  last?: string | undefined;
}

const PAGE = 1_000;

/** The state of a run: its newest sound snapshot, and the commits after it. An empty state when there is no log. */
export async function loadRun(rt: Runtime, run: RunKey, hint?: number): Promise<LoadedRun> {
  const { manifest, commits } = await rt.world.log.load(run, hint);
  const base = manifest && readManifest(manifest);
  if (manifest && !base) {
    rt.report({
      level: 'warn',
      message: 'a snapshot is damaged or of another fold, the log is folded anew',
      runId: run.runId,
    });
    return rebuildRun(rt, run);
  }
  const snapshot = base ? { seq: base.head, step: base.step } : { seq: -1, step: 0 };
  return { state: foldCommits(base ?? emptyState(), commits), snapshot, last: commits.at(-1)?.hash };
}

/** The same, beginning with what this process remembers of the run, if its last commit is still the log's. */
export async function loadAgain(rt: Runtime, run: RunKey, hint?: number): Promise<LoadedRun> {
  const known = rt.memory?.recall(run);
  if (!known) return loadRun(rt, run, hint);
  const { head } = known.state;
  const limit = Number.MAX_SAFE_INTEGER;
  // Under the lock of a directory nobody else can have put another log in the place of this one.
  if (rt.world.fence.lock) return goOn(known, await rt.world.log.read(run, { after: head, limit }));
  const [last, ...later] = await rt.world.log.read(run, { after: head - 1, limit });
  const sound = last && last.hash === known.last && last.seq === head - last.events.length + 1;
  return sound ? goOn(known, later) : loadRun(rt, run, hint);
}

function goOn(from: LoadedRun, commits: readonly Commit[]): LoadedRun {
  return { ...from, state: foldCommits(from.state, commits), last: commits.at(-1)?.hash ?? from.last };
}

/** Folds the log from its first event, whatever snapshots there are; not beyond `upTo` where a seq is given. */
export async function rebuildRun(
  rt: Runtime,
  run: RunKey,
  upTo = Number.POSITIVE_INFINITY,
): Promise<LoadedRun> {
  let state = emptyState();
  let last: string | undefined;
  while (state.head < upTo) {
    const page = await rt.world.log.read(run, { after: state.head, limit: PAGE });
    const commits = page.filter((commit) => commit.seq <= upTo);
    if (commits.length === 0) break;
    state = foldCommits(state, commits);
    last = commits.at(-1)?.hash;
  }
  return { state, snapshot: { seq: -1, step: 0 }, last };
}

export function foldCommits(from: RunState, commits: readonly Commit[]): RunState {
  return commits.reduce((state, commit) => {
    if (commit.seq !== state.head + 1) throw gap(state.head, commit.seq);
    return foldCommit(state, { ...commit, events: parseEvents(commit) });
  }, from);
}

function gap(head: number, seq: number): StepfoldError {
  return new StepfoldError(
    'log_gap',
    `expected the event after seq ${head}, found one at ${seq}: a part of the log is missing. Restore it, or cancel the run's work by hand.`,
  );
}

export function parseEvents(commit: Commit): Event[] {
  return commit.events.map(parseEvent);
}

/** A snapshot as it is stored: its own hash tells whether it was altered. */
export function writeManifest(state: RunState): Manifest {
  const { transcript } = state;
  const places = packPlaces(transcript.places);
  const text = JSON.stringify({ ...state, transcript: { ...transcript, places } });
  return { seq: state.head, fold: FOLD_VERSION, state: { sha256: sha256(text), text } };
}

function readManifest(manifest: Manifest): RunState | undefined {
  const { sha256: hash, text } = (manifest.state ?? {}) as { sha256?: unknown; text?: unknown };
  if (manifest.fold !== FOLD_VERSION || typeof text !== 'string' || sha256(text) !== hash) return undefined;
  const state = JSON.parse(text) as RunState;
  if (state.head !== manifest.seq) return undefined;
  const { transcript } = state;
  return { ...state, transcript: { ...transcript, places: unpackPlaces(transcript.places) } };
}

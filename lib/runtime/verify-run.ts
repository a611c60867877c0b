import type { SlotContent } from '../core/decisions.ts';
import type { Event } from '../core/events.ts';
import { sha256 } from '../core/hash.ts';
import { refsOf } from '../core/payload.ts';
import type { RunState } from '../core/state.ts';
import { emptyTranscript } from '../core/transcript.ts';
import { type RunFacts, type Verdict, verify } from '../core/verify.ts';
import type { Commit } from '../ports/event-log.ts';
import type { RunKey } from '../ports/run-key.ts';
import { slotContent } from './fold-news.ts';
import { knownRun } from './known-run.ts';
import { loadRun, parseEvents } from './load-run.ts';
import { loadEntries } from './load-transcript.ts';
import { fetchBlob, isDamage } from './payloads.ts';
import type { Runtime } from './runtime.ts';

const PAGE = 1_000;
const TRIES = 5;

/**
 * Checks the guarantees over everything that this world holds of a run. `applied` is how often each idempotency key was
 * applied downstream, where the caller can see that.
 *
 * @throws StepfoldError `unknown_run`
 */
export async function verifyRun(
  rt: Runtime,
  run: RunKey,
  applied?: ReadonlyMap<string, number>,
): Promise<Verdict> {
  await knownRun(rt, run);
  // A run may move while it is read: facts of one moment are those between which its head has not moved.
  for (let tried = 1; ; tried++) {
    const facts = await gather(rt, run);
    const { state } = await loadRun(rt, run);
    const head = facts.commits.at(-1)?.events.at(-1)?.seq ?? -1;
    if (state.head === head || tried === TRIES) return verify({ ...facts, ...(applied && { applied }) });
  }
}

async function gather(rt: Runtime, run: RunKey): Promise<RunFacts> {
  const { index, inbox } = rt.world;
  const resumed = await resume(rt, run);
  const stored = await allCommits(rt, run);
  const commits = stored.map((commit) => ({ ...commit, events: parseEvents(commit) }));
  const events = commits.flatMap((commit) => commit.events);
  return {
    commits,
    hashes: stored.map((commit) => sha256(JSON.stringify(commit.events))),
    resumed: resumed?.head === events.at(-1)?.seq ? resumed : undefined,
    slots: await readSlots(rt, run, events),
    inbox: await inbox.read(run, 0),
    header: await index.get(run),
    damaged: await damagedPayloads(rt, run, events),
  };
}

/** The state as a worker would load it, with all its entries in place; a lost chunk is no violation. */
async function resume(rt: Runtime, run: RunKey): Promise<RunState | undefined> {
  const { state, snapshot } = await loadRun(rt, run);
  if (snapshot.seq < 0) return undefined;
  try {
    const { hash } = state.transcript;
    const tail = await loadEntries(rt, run, state.transcript);
    return { ...state, transcript: { ...emptyTranscript(), hash, tail } };
  } catch (error) {
    if (isDamage(error)) return undefined;
    throw error;
  }
}

async function allCommits(rt: Runtime, run: RunKey): Promise<Commit[]> {
  const commits: Commit[] = [];
  for (let after = -1; ; ) {
    const page = await rt.world.log.read(run, { after, limit: PAGE });
    const last = page.at(-1);
    if (!last) return commits;
    commits.push(...page);
    after = last.seq + last.events.length - 1;
  }
}

async function readSlots(
  rt: Runtime,
  run: RunKey,
  events: readonly Event[],
): Promise<Map<string, SlotContent & { argsHash?: string }>> {
  const slots = new Map<string, SlotContent & { argsHash?: string }>();
  for (const event of events) {
    if (event.type !== 'interrupted') continue;
    const slot = await rt.world.decisions.get(run, event.interruptId);
    if (slot)
      slots.set(event.interruptId, {
        ...slotContent(slot),
        ...(slot.argsHash !== undefined && { argsHash: slot.argsHash }),
      });
  }
  return slots;
}

async function damagedPayloads(
  rt: Runtime,
  run: RunKey,
  events: readonly Event[],
): Promise<Map<string, string>> {
  const damaged = new Map<string, string>();
  for (const ref of events.flatMap(refsOf)) {
    try {
      await fetchBlob(rt, run, ref);
    } catch (error) {
      if (!isDamage(error)) throw error;
      damaged.set(ref.sha256, error.code.replace('payload_', ''));
    }
  }
  return damaged;
}

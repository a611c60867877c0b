import { isEnded } from '../core/state.ts';
import { type Chunk, chunksToMerge, type Entry, type Transcript } from '../core/transcript.ts';
import { writeManifest } from './load-run.ts';
import { loadChunk } from './load-transcript.ts';
import { storeBlob } from './payloads.ts';
import type { Visit } from './visit.ts';

const DEFAULT_EVERY = 20;

/** Snapshots every K steps and at every interrupt, so that a run resumed days later has an empty tail. */
export async function snapshotIfDue(visit: Visit): Promise<void> {
  const { rt, state, snapshot } = visit;
  const every = rt.agents.get(state.agent)?.snapshotEvery ?? DEFAULT_EVERY;
  const due = visit.opened.size > 0 || state.step - snapshot.step >= every;
  if (!due || isEnded(state) || state.head <= snapshot.seq) return;
  const transcript = await layOut(visit);
  await rt.world.log.putManifest(visit.run, writeManifest({ ...state, transcript }));
  visit.snapshot = { seq: state.head, step: state.step };
}

/** Writes the tail as a new immutable chunk, together with small ones before it once they have grown many. */
async function layOut(visit: Visit): Promise<Transcript> {
  const { chunks, tail } = visit.state.transcript;
  if (tail.length === 0) return visit.state.transcript;
  const merge = chunksToMerge(visit.state.transcript);
  const kept = chunks.slice(0, chunks.length - merge);
  const merged = await Promise.all(
    chunks.slice(kept.length).map((chunk) => loadChunk(visit.rt, visit.run, chunk)),
  );
  return { chunks: [...kept, await storeChunk(visit, [...merged.flat(), ...tail])], tail: [] };
}

async function storeChunk(visit: Visit, entries: readonly Entry[]): Promise<Chunk> {
  const ref = await storeBlob(visit.rt, visit.run, Buffer.from(JSON.stringify(entries)));
  return { ...ref, entries: entries.length };
}

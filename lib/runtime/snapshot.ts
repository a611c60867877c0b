import { gzipSync } from 'node:zlib';
import { isEnded } from '../core/state.ts';
import {
  type Chunk,
  chunksToMerge,
  entriesAt,
  type Place,
  packPlaces,
  type Transcript,
  withPlaces,
} from '../core/transcript.ts';
import { writeManifest } from './load-run.ts';
import { loadChunk, rebuiltIfDamaged } from './load-transcript.ts';
import { storeBlob } from './payloads.ts';
import type { Visit } from './visit.ts';

const DEFAULT_EVERY = 20;

/** Snapshots every K steps and at every interrupt, so that a run resumed days later has an empty tail. */
export async function snapshotIfDue(visit: Visit): Promise<void> {
  const { rt, state, snapshot } = visit;
  const every = rt.agents.get(state.agent)?.snapshotEvery ?? DEFAULT_EVERY;
  const due = visit.opened.size > 0 || state.step - snapshot.step >= every;
  if (!due || isEnded(state) || state.head <= snapshot.seq) return;
  const transcript = await rebuiltIfDamaged(visit, () => layOut(visit));
  const laidOut = { ...visit.state, transcript };
  await rt.world.log.putManifest(
    visit.run,
    writeManifest({ ...laidOut, transcript: withPlaces(transcript) }),
  );
  visit.state = laidOut;
  visit.snapshot = { seq: laidOut.head, step: laidOut.step };
}

/** What this process has at hand of the conversation: it is stored by its places alone. */
const ENTRIES_AT_HAND = 64;

/** The manifest itself holds the last places. Once there are so many more, these become a chunk. */
const PLACES_KEPT = 32;
const PLACES_PER_CHUNK = 128;

/** Writes many places as a new immutable chunk, together with small ones before it once they have grown many. */
async function layOut(visit: Visit): Promise<Transcript> {
  const transcript = withPlaces(visit.state.transcript, ENTRIES_AT_HAND);
  const { chunks, places } = transcript;
  if (places.length < PLACES_KEPT + PLACES_PER_CHUNK) return transcript;
  const old = places.slice(0, -PLACES_KEPT);
  const merge = chunksToMerge(chunks, countEntries(old));
  const kept = chunks.slice(0, chunks.length - merge);
  const merged = await Promise.all(
    chunks.slice(kept.length).map((chunk) => loadChunk(visit.rt, visit.run, chunk)),
  );
  const chunk = await storeChunk(visit, [...merged.flat(), ...old]);
  return { ...transcript, chunks: [...kept, chunk], places: places.slice(-PLACES_KEPT) };
}

async function storeChunk(visit: Visit, places: readonly Place[]): Promise<Chunk> {
  const ref = await storeBlob(visit.rt, visit.run, gzipSync(JSON.stringify(packPlaces(places))));
  return { ...ref, entries: countEntries(places) };
}

function countEntries(places: readonly Place[]): number {
  return places.reduce<number>((sum, place) => sum + entriesAt(place), 0);
}

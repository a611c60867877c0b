import type { LoggedError, Ref } from './event-parts.ts';
import { hashJson, sha256 } from './hash.ts';
import type { Json } from './json.ts';
import type { Payload } from './payload.ts';

/** One message of the conversation, its payloads possibly by reference, with the seq of the event that it came with. */
export type Entry =
  /** What a migration put in the place of everything before it. */
  | { role: 'base'; seq: number; messages: Payload }
  | { role: 'user'; seq: number; content: Payload }
  | { role: 'assistant'; seq: number; completion: Payload }
  /** Stands right after the response that asked for them, one for each of its calls. */
  | { role: 'tool'; results: EntryResult[] };

export interface EntryResult {
  seq: number;
  toolCallId: string;
  name: string;
  source: string;
  payload?: Payload;
  error?: LoggedError;
}

/**
 * Where entries lie in the log: the seq of a message, or those of a response and then of each of its results. So nothing
 * of the log is stored twice.
 */
export type Place = number | readonly number[];

/** Immutable places in the blob store. */
export interface Chunk extends Ref {
  /** How many entries they are. */
  entries: number;
}

/** The conversation so far: chunks of places, then places, then the entries since the last snapshot. */
export interface Transcript {
  /** SHA-256 over every entry and the hash before it, whatever of it lies where. */
  hash: string;
  chunks: Chunk[];
  places: Place[];
  tail: Entry[];
  /** The first entry, once it is not in the tail any more: a model that is not shown all of it is shown this one. */
  first?: Entry;
}

export function emptyTranscript(): Transcript {
  return { hash: '', chunks: [], places: [], tail: [] };
}

/** Adds entries to a transcript that is the caller's own. */
export function addEntries(transcript: Transcript, ...entries: Entry[]): void {
  for (const entry of entries) {
    transcript.tail.push(entry);
    transcript.hash = sha256(`${transcript.hash}${JSON.stringify(entry)}`);
  }
}

/** A model request's hash. Its cost does not depend on the length of the conversation. */
export function requestHash({ hash }: Transcript, params: Json): string {
  return hashJson({ transcript: hash, params });
}

/** How many entries a place stands for. */
export function entriesAt(place: Place): number {
  return typeof place === 'number' || place.length === 1 ? 1 : 2;
}

/** The same transcript with all but its last entries by their places. */
export function withPlaces(transcript: Transcript, keep = 0): Transcript {
  const { tail, places } = transcript;
  let cut = Math.max(0, tail.length - keep);
  // Results stay with their response.
  if (tail[cut]?.role === 'tool') cut--;
  const first = transcript.first ?? tail[0];
  if (cut === 0 || !first) return transcript;
  return {
    ...transcript,
    places: [...places, ...placesOf(tail.slice(0, cut))],
    tail: tail.slice(cut),
    first,
  };
}

function placesOf(entries: readonly Entry[]): Place[] {
  return entries.flatMap((entry, index): Place[] => {
    if (entry.role === 'tool') return [];
    if (entry.role !== 'assistant') return [entry.seq];
    const next = entries[index + 1];
    return [[entry.seq, ...(next?.role === 'tool' ? next.results.map(({ seq }) => seq) : [])]];
  });
}

/** Places as they are stored: each by its distance from the one before, and its results from it, which are small numbers. */
export function packPlaces(places: readonly Place[]): Place[] {
  let before = 0;
  return places.map((place): Place => {
    const [seq = 0, ...results] = typeof place === 'number' ? [place] : place;
    const distance = seq - before;
    before = seq;
    return typeof place === 'number' ? distance : [distance, ...results.map((result) => result - seq)];
  });
}

export function unpackPlaces(packed: readonly Place[]): Place[] {
  let before = 0;
  return packed.map((place): Place => {
    const [distance = 0, ...results] = typeof place === 'number' ? [place] : place;
    before += distance;
    const seq = before;
    return typeof place === 'number' ? seq : [seq, ...results.map((result) => result + seq)];
  });
}

/** How many chunks of about one size may stand side by side before they are merged into one. */
const MERGE_WIDTH = 8;

/** A chunk of more entries would cost a reader of the last few too much. */
const LARGEST = 16_384;

/**
 * How many of the last chunks are to be merged with a new one of so many entries. A chunk is merged once for each factor of
 * {@link MERGE_WIDTH} that the conversation grows, so the bytes written stay in proportion to n log n.
 */
export function chunksToMerge(chunks: readonly Chunk[], entries: number): number {
  let merge = 0;
  let size = entries;
  for (;;) {
    const from = chunks.length - merge;
    const peers = chunks.slice(Math.max(0, from - MERGE_WIDTH + 1), from);
    const similar = peers.filter((chunk) => chunk.entries < size * MERGE_WIDTH);
    if (peers.length < MERGE_WIDTH - 1 || similar.length < MERGE_WIDTH - 1) return merge;
    const merged = size + peers.reduce((sum, chunk) => sum + chunk.entries, 0);
    if (merged > LARGEST) return merge;
    merge += peers.length;
    size = merged;
  }
}

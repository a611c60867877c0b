import type { LoggedError, Ref } from './event-parts.ts';
import { hashJson } from './hash.ts';
import type { Json } from './json.ts';
import type { Payload } from './payload.ts';

/** One message of the conversation, its payloads possibly by reference. */
export type Entry =
  /** What a migration put in the place of everything before it. */
  | { role: 'base'; messages: Payload }
  | { role: 'user'; content: Payload }
  | { role: 'assistant'; completion: Payload }
  | { role: 'tool'; results: EntryResult[] };

export interface EntryResult {
  toolCallId: string;
  name: string;
  source: string;
  payload?: Payload;
  error?: LoggedError;
}

/** An immutable run of entries in the blob store. */
export interface Chunk extends Ref {
  /** How many entries it holds. */
  entries: number;
}

/** The conversation so far: immutable chunks, then the entries that no chunk holds yet. */
export interface Transcript {
  chunks: Chunk[];
  tail: Entry[];
}

/** A model request's hash. Its cost depends on the tail alone, not on the length of the conversation. */
export function requestHash(transcript: Transcript, params: Json): string {
  const chunks = transcript.chunks.map((chunk) => chunk.sha256);
  return hashJson({ chunks, tail: transcript.tail as unknown as Json, params });
}

/** How many chunks of about one size may stand side by side before they are merged into one. */
const MERGE_WIDTH = 8;

/** A chunk of more entries would cost a reader of the last few too much. */
const LARGEST = 512;

/**
 * How the chunks are to be laid out once the tail becomes a chunk of its own: the last `merge` chunks and the tail
 * together form the new one. A chunk is merged once for each factor of {@link MERGE_WIDTH} that the conversation
 * grows, so the bytes written stay in proportion to n log n.
 */
export function chunksToMerge(transcript: Transcript): number {
  let merge = 0;
  let size = transcript.tail.length;
  for (;;) {
    const from = transcript.chunks.length - merge;
    const peers = transcript.chunks.slice(Math.max(0, from - MERGE_WIDTH + 1), from);
    const similar = peers.filter((chunk) => chunk.entries < size * MERGE_WIDTH);
    if (peers.length < MERGE_WIDTH - 1 || similar.length < MERGE_WIDTH - 1) return merge;
    const merged = size + peers.reduce((sum, chunk) => sum + chunk.entries, 0);
    if (merged > LARGEST) return merge;
    merge += peers.length;
    size = merged;
  }
}

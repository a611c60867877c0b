import { gunzipSync } from 'node:zlib';
import { entriesOfPlace } from '../core/entries-of-place.ts';
import { StepfoldError } from '../core/errors.ts';
import type { Event } from '../core/events.ts';
import type { Json } from '../core/json.ts';
import { parseEvent } from '../core/parse-event.ts';
import type { Payload } from '../core/payload.ts';
import {
  type Chunk,
  type Entry,
  entriesAt,
  type Place,
  type Transcript,
  unpackPlaces,
} from '../core/transcript.ts';
import type { Completion } from '../models/completion.ts';
import type { LoadedEntry } from '../models/prompt.ts';
import type { RunKey } from '../ports/run-key.ts';
import { rebuildRun } from './load-run.ts';
import { fetchBlob, fetchPayload, isDamage } from './payloads.ts';
import type { Runtime } from './runtime.ts';
import type { Visit } from './visit.ts';

/** What the model is shown of a conversation, and how many messages it is not. */
export interface Shown {
  readonly entries: LoadedEntry[];
  readonly omitted: number;
}

/**
 * The conversation with its payloads: all of it, or the first message of the user and so many whole turns from the end. A
 * chunk that is missing or altered is only a lost shortcut: the transcript is then folded from the log, and the next
 * snapshot puts it right.
 */
export async function loadTranscript(visit: Visit, history?: { turns: number }): Promise<Shown> {
  const { entries, omitted } = await rebuiltIfDamaged(visit, () => select(visit, history));
  return { entries: await Promise.all(entries.map((entry) => loadEntry(visit, entry))), omitted };
}

/** Loads something of a snapshot; where a part of it is lost, the view is folded anew from the log first. */
export async function rebuiltIfDamaged<T>(visit: Visit, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (!isDamage(error)) throw error;
    const { rt, run, state } = visit;
    if (state.transcript.places.length === 0) throw error;
    const message = `a part of the snapshot is lost, the log is folded anew: ${error.message}`;
    rt.report({ level: 'warn', message, runId: run.runId });
    Object.assign(visit, await rebuildRun(rt, run, state.head));
    return load();
  }
}

async function select(
  visit: Visit,
  history: { turns: number } | undefined,
): Promise<{ entries: Entry[]; omitted: number }> {
  const { transcript } = visit.state;
  const entries = history
    ? await loadTurns(visit, history.turns)
    : await loadEntries(visit.rt, visit.run, transcript);
  const hidden = sizeOf(transcript) - entries.length;
  const first = transcript.first ?? transcript.tail[0];
  return hidden > 0 && first
    ? { entries: [first, ...entries], omitted: hidden - 1 }
    : { entries, omitted: hidden };
}

function sizeOf({ chunks, places, tail }: Transcript): number {
  const inChunks = chunks.reduce((sum, chunk) => sum + chunk.entries, 0);
  return inChunks + places.reduce<number>((sum, place) => sum + entriesAt(place), 0) + tail.length;
}

/** Whole turns from the end, or everything where there are no more. */
async function loadTurns({ rt, run, state }: Visit, turns: number): Promise<Entry[]> {
  const { chunks, places, tail } = state.transcript;
  let known = places;
  // One turn more is read than is shown: whether there is one decides, and not where a chunk happens to begin.
  for (let unread = chunks.length; unread > 0 && countTurns([...known, ...tail]) <= turns; unread--) {
    known = [...(await loadChunk(rt, run, chunks[unread - 1] as Chunk)), ...known];
  }
  const start = startOfTurns([...known, ...tail], turns);
  const later = tail.slice(Math.max(0, start - known.length));
  return [...(await loadPlaces(rt, run, known.slice(start))), ...later];
}

/** A turn is an answer of the model with all that follows it up to the next. */
function isTurn(part: Place | Entry): boolean {
  return Array.isArray(part) || (typeof part === 'object' && 'role' in part && part.role === 'assistant');
}

function countTurns(parts: readonly (Place | Entry)[]): number {
  return parts.filter(isTurn).length;
}

function startOfTurns(parts: readonly (Place | Entry)[], turns: number): number {
  const starts = parts.flatMap((part, index) => (isTurn(part) ? [index] : []));
  return starts.length <= turns ? 0 : (starts.at(-turns) ?? 0);
}

/** All entries of a transcript. */
export async function loadEntries(
  rt: Runtime,
  run: RunKey,
  { chunks, places, tail }: Transcript,
): Promise<Entry[]> {
  const held = await Promise.all(chunks.map((chunk) => loadChunk(rt, run, chunk)));
  return [...(await loadPlaces(rt, run, [...held.flat(), ...places])), ...tail];
}

/** The places of one chunk, checked against its hash. */
export async function loadChunk(rt: Runtime, run: RunKey, chunk: Chunk): Promise<Place[]> {
  return unpackPlaces(JSON.parse(gunzipSync(await fetchBlob(rt, run, chunk)).toString()) as Place[]);
}

const PAGE = 1_000;

/** The entries at some places, read from the log as one range. */
async function loadPlaces(rt: Runtime, run: RunKey, places: readonly Place[]): Promise<Entry[]> {
  const wanted = new Set(places.flat());
  const events = new Map<number, Event>();
  const last = [...wanted].reduce((highest, seq) => Math.max(highest, seq), 0);
  for (let after = Math.min(...wanted) - 1; after < last; ) {
    const commits = await rt.world.log.read(run, { after, limit: Math.min(PAGE, last - after) });
    for (const { seq, events: stored } of commits) {
      stored.forEach((event, index) => {
        if (wanted.has(seq + index)) events.set(seq + index, parseEvent(event));
      });
    }
    const end = commits.at(-1);
    after = end ? end.seq + end.events.length - 1 : last;
  }
  return places.flatMap((place) => entriesOfPlace(place, events) ?? missing(run, place));
}

function missing({ runId }: RunKey, place: Place): never {
  throw new StepfoldError(
    'payload_missing',
    `expected a message of the conversation of run ${runId} at seq ${place}`,
  );
}

async function loadEntry(visit: Visit, entry: Entry): Promise<LoadedEntry> {
  const load = (payload: Payload): Promise<Json> => fetchPayload(visit.rt, visit.run, payload);
  switch (entry.role) {
    case 'base':
      return { role: 'base', messages: await load(entry.messages) };
    case 'user':
      return { role: 'user', content: await load(entry.content) };
    case 'assistant':
      return { role: 'assistant', completion: (await load(entry.completion)) as unknown as Completion };
    case 'tool':
      return {
        role: 'tool',
        results: await Promise.all(
          entry.results.map(async ({ payload, ...result }) => ({
            ...result,
            ...(payload && { value: await load(payload) }),
          })),
        ),
      };
  }
}

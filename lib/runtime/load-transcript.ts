import { isStepfoldError } from '../core/errors.ts';
import type { Json } from '../core/json.ts';
import type { Payload } from '../core/payload.ts';
import type { RunState } from '../core/state.ts';
import type { Chunk, Entry } from '../core/transcript.ts';
import type { Completion } from '../models/completion.ts';
import type { LoadedEntry } from '../models/prompt.ts';
import type { RunKey } from '../ports/run-key.ts';
import { rebuildRun } from './load-run.ts';
import { fetchBlob, fetchPayload } from './payloads.ts';
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
  const { entries, omitted } = await whole(visit, () => select(visit, history));
  return { entries: await Promise.all(entries.map((entry) => loadEntry(visit, entry))), omitted };
}

async function whole<T>(visit: Visit, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (!isStepfoldError(error, 'payload_missing') && !isStepfoldError(error, 'payload_altered')) throw error;
    const { rt, run, state } = visit;
    if (state.transcript.chunks.length === 0) throw error;
    const message = `a transcript chunk is lost, the log is folded anew: ${error.message}`;
    rt.report({ level: 'warn', message, runId: run.runId });
    Object.assign(visit, await rebuildRun(rt, run, state.head));
    return load();
  }
}

async function select(
  visit: Visit,
  history: { turns: number } | undefined,
): Promise<{ entries: Entry[]; omitted: number }> {
  const { rt, run, state } = visit;
  if (!history) return { entries: await loadEntries(rt, run, state), omitted: 0 };
  const { chunks, tail } = state.transcript;
  const total = tail.length + chunks.reduce((sum, chunk) => sum + chunk.entries, 0);
  let last = [...tail];
  let unread = chunks.length;
  // One turn more is read than is shown: whether there is one decides, and not where a chunk happens to begin.
  while (unread > 0 && countTurns(last) <= history.turns) {
    last = [...(await loadChunk(rt, run, chunks[--unread] as Chunk)), ...last];
  }
  const start = startOfTurns(last, history.turns);
  const shown = last.slice(start);
  const hidden = total - shown.length;
  if (hidden === 0) return { entries: shown, omitted: 0 };
  const [first] = unread > 0 ? await loadChunk(rt, run, chunks[0] as Chunk) : last;
  return { entries: first ? [first, ...shown] : shown, omitted: hidden - 1 };
}

/** A turn is an answer of the model with all that follows it up to the next. */
function countTurns(entries: readonly Entry[]): number {
  return entries.filter((entry) => entry.role === 'assistant').length;
}

function startOfTurns(entries: readonly Entry[], turns: number): number {
  const starts = entries.flatMap((entry, index) => (entry.role === 'assistant' ? [index] : []));
  return starts.length <= turns ? 0 : (starts.at(-turns) ?? 0);
}

/** The entries of a transcript, its chunks first. */
export async function loadEntries(rt: Runtime, run: RunKey, { transcript }: RunState): Promise<Entry[]> {
  const held = await Promise.all(transcript.chunks.map((chunk) => loadChunk(rt, run, chunk)));
  return [...held.flat(), ...transcript.tail];
}

/** The entries of one chunk, checked against its hash. */
export async function loadChunk(rt: Runtime, run: RunKey, chunk: Chunk): Promise<Entry[]> {
  return JSON.parse(Buffer.from(await fetchBlob(rt, run, chunk)).toString()) as Entry[];
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

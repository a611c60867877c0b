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

/**
 * The whole conversation with its payloads. A chunk that is missing or altered is only a lost shortcut: the transcript
 * is then folded from the log, and the next snapshot puts it right.
 */
export async function loadTranscript(visit: Visit): Promise<LoadedEntry[]> {
  return Promise.all((await entriesOf(visit)).map((entry) => loadEntry(visit, entry)));
}

async function entriesOf(visit: Visit): Promise<Entry[]> {
  const { rt, run, state } = visit;
  try {
    return await loadEntries(rt, run, state);
  } catch (error) {
    if (!isStepfoldError(error, 'payload_missing') && !isStepfoldError(error, 'payload_altered')) throw error;
    const message = `a transcript chunk is lost, the log is folded anew: ${error.message}`;
    rt.report({ level: 'warn', message, runId: run.runId });
    Object.assign(visit, await rebuildRun(rt, run, state.head));
    return visit.state.transcript.tail;
  }
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

import { isStepfoldError } from '../core/errors.ts';
import type { Json } from '../core/json.ts';
import type { Payload } from '../core/payload.ts';
import type { Chunk, Entry } from '../core/transcript.ts';
import type { Completion } from '../models/completion.ts';
import type { LoadedEntry } from '../models/prompt.ts';
import { rebuildRun } from './load-run.ts';
import { fetchBlob, fetchPayload } from './payloads.ts';
import type { Visit } from './visit.ts';

/**
 * The whole conversation with its payloads. A chunk that is missing or altered is only a lost shortcut: the transcript
 * is then folded from the log, and the next snapshot puts it right.
 */
export async function loadTranscript(visit: Visit): Promise<LoadedEntry[]> {
  return Promise.all((await entriesOf(visit)).map((entry) => loadEntry(visit, entry)));
}

async function entriesOf(visit: Visit): Promise<Entry[]> {
  const { chunks, tail } = visit.state.transcript;
  try {
    const held = await Promise.all(chunks.map((chunk) => loadChunk(visit, chunk)));
    return [...held.flat(), ...tail];
  } catch (error) {
    if (!isStepfoldError(error, 'payload_missing') && !isStepfoldError(error, 'payload_altered')) throw error;
    visit.rt.report({
      level: 'warn',
      message: `a transcript chunk is lost, the log is folded anew: ${error.message}`,
      runId: visit.run.runId,
    });
    const { state, snapshot } = await rebuildRun(visit.rt, visit.run, visit.state.head);
    Object.assign(visit, { state, snapshot });
    return state.transcript.tail;
  }
}

/** The entries of one chunk, checked against its hash. */
export async function loadChunk(visit: Visit, chunk: Chunk): Promise<Entry[]> {
  return JSON.parse(Buffer.from(await fetchBlob(visit.rt, visit.run, chunk)).toString()) as Entry[];
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

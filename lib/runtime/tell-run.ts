import { assertSaid } from '../core/entries.ts';
import { assertJson } from '../core/json.ts';
import { payloadFields } from '../core/payload.ts';
import { isEnded } from '../core/state.ts';
import type { RunKey } from '../ports/run-key.ts';
import { entryId } from './fold-news.ts';
import { knownRun } from './known-run.ts';
import { storePayload } from './payloads.ts';
import { putIntoInbox } from './put-into-inbox.ts';
import { runEnded } from './run-ended.ts';
import type { Runtime } from './runtime.ts';

/**
 * Puts a user's message into the inbox. While a call is open it waits for its result.
 *
 * @throws StepfoldError `unknown_run`, `run_ended`, `not_json`, `bad_entry`
 */
export async function sendMessage(
  rt: Runtime,
  run: RunKey,
  message: { content: unknown; messageId?: string; final?: boolean },
): Promise<{ messageId: string }> {
  const { content, messageId = rt.world.ids.fresh(), final } = message;
  assertJson(content);
  assertSaid({ kind: 'message', id: messageId, body: { final } });
  if (await wasTaken(rt, run, { kind: 'message', id: messageId })) return { messageId };
  const body = {
    ...payloadFields('content', await storePayload(rt, run, content)),
    ...(final !== undefined && { final }),
  };
  await putIntoInbox(rt, run, { kind: 'message', id: messageId, body });
  return { messageId };
}

/**
 * Puts a signal into the inbox. One that nobody awaits yet is kept for the wait that comes.
 *
 * @throws StepfoldError `unknown_run`, `run_ended`, `not_json`, `bad_entry`
 */
export async function sendSignal(
  rt: Runtime,
  run: RunKey,
  signal: { name: string; payload?: unknown; signalId?: string },
): Promise<{ signalId: string }> {
  const { name, payload = null, signalId = rt.world.ids.fresh() } = signal;
  assertJson(payload);
  assertSaid({ kind: 'signal', id: signalId, body: { name } });
  if (await wasTaken(rt, run, { kind: 'signal', id: signalId })) return { signalId };
  const body = { name, ...payloadFields('payload', await storePayload(rt, run, payload)) };
  await putIntoInbox(rt, run, { kind: 'signal', id: signalId, body });
  return { signalId };
}

/**
 * Asks for a run to be cancelled. What is in flight settles first; asking again is the same answer.
 *
 * @throws StepfoldError `unknown_run`, `run_ended`, `bad_entry`
 */
export async function cancelRun(
  rt: Runtime,
  run: RunKey,
  cancel: { by: string; reason?: string },
): Promise<void> {
  assertSaid({ kind: 'cancel', id: cancel.by, body: cancel });
  const state = await knownRun(rt, run);
  if (state.cancel || state.status === 'cancelled') return;
  await putIntoInbox(rt, run, { kind: 'cancel', id: cancel.by, body: cancel });
}

/** Whether an entry came before, also in a run that has ended since. Nothing else is written for one that has ended. */
async function wasTaken(rt: Runtime, run: RunKey, entry: { kind: string; id: string }): Promise<boolean> {
  const state = await knownRun(rt, run);
  if (state.inbox.ids.includes(entryId(entry))) return true;
  if (isEnded(state)) throw runEnded(run, state);
  return false;
}

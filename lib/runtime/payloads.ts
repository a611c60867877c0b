import { cloneJson } from '../core/clone-json.ts';
import { isStepfoldError, StepfoldError } from '../core/errors.ts';
import type { Ref } from '../core/event-parts.ts';
import { sha256 } from '../core/hash.ts';
import type { Json } from '../core/json.ts';
import { type Payload, payloadSlots } from '../core/payload.ts';
import type { RunKey } from '../ports/run-key.ts';
import type { Runtime } from './runtime.ts';

const SPILL_AT = 8_192;

/**
 * Puts every payload over the threshold into the blob store and its reference into the event. This comes before the
 * commit that names it: a crash in between leaves an orphan object, never a dangling reference.
 */
export async function spill<E extends object>(rt: Runtime, run: RunKey, event: E): Promise<E> {
  const copy = { ...event } as Record<string, unknown>;
  if (typeof copy.outcome === 'object') copy.outcome = { ...copy.outcome };
  for (const { holder, field } of payloadSlots(copy)) {
    if (holder[field] === undefined) continue;
    const text = JSON.stringify(holder[field]);
    if (Buffer.byteLength(text) <= (rt.spillAt ?? SPILL_AT)) continue;
    holder[`${field}Ref`] = await storeBlob(rt, run, Buffer.from(text));
    delete holder[field];
  }
  return copy as E;
}

export async function storeBlob(rt: Runtime, run: RunKey, bytes: Uint8Array): Promise<Ref> {
  const ref = { sha256: sha256(bytes), bytes: bytes.length };
  await rt.world.blobs.put(run, ref.sha256, bytes);
  return ref;
}

/** A value as a payload: in place, or spilled where it is over the threshold. */
export async function storePayload(rt: Runtime, run: RunKey, value: Json): Promise<Payload> {
  const bytes = Buffer.from(JSON.stringify(value));
  return bytes.length <= (rt.spillAt ?? SPILL_AT) ? { value } : { ref: await storeBlob(rt, run, bytes) };
}

/**
 * The value of a payload, fetched and checked where it lies in the blob store.
 *
 * @throws StepfoldError `payload_missing` or `payload_altered`: the run is set aside, nothing is guessed.
 */
export async function fetchPayload(rt: Runtime, run: RunKey, payload: Payload): Promise<Json> {
  // A state may outlive the step that it is handed out to, and must not change with what becomes of the value there.
  if ('value' in payload) return cloneJson(payload.value);
  return JSON.parse(Buffer.from(await fetchBlob(rt, run, payload.ref)).toString()) as Json;
}

/** The bytes of an object, checked against its hash. */
export async function fetchBlob(rt: Runtime, run: RunKey, ref: Ref): Promise<Uint8Array> {
  const bytes = await rt.world.blobs.get(run, ref.sha256);
  if (!bytes) {
    throw new StepfoldError(
      'payload_missing',
      `expected the object ${ref.sha256} (${ref.bytes} bytes) that the log of run ${run.runId} names; it is not in the ` +
        'blob store. Restore it there, then let the run be tried again.',
      { details: { ...ref } },
    );
  }
  if (sha256(bytes) !== ref.sha256) {
    throw new StepfoldError(
      'payload_altered',
      `expected the object ${ref.sha256} of run ${run.runId} to have the content that its name says; its content was ` +
        'altered. Restore the original, then let the run be tried again.',
      { details: { ...ref } },
    );
  }
  return bytes;
}

/** Whether an error says that an object is missing or altered. */
export function isDamage(error: unknown): error is StepfoldError {
  return isStepfoldError(error, 'payload_missing') || isStepfoldError(error, 'payload_altered');
}

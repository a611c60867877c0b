import type { LoggedError } from '../core/event-parts.ts';
import { findUnrepresentable, type Json } from '../core/json.ts';
import { loggedError } from '../models/logged-error.ts';
import type { Tool, ToolContext } from '../tool.ts';
import { deadlineSignal } from './deadline-signal.ts';
import { meaningOf } from './error-meaning.ts';
import { keyedFetch } from './keyed-fetch.ts';
import { toolState } from './tool-state.ts';
import type { Visit } from './visit.ts';

/** What came of one attempt at a tool call, as far as this worker can know. */
export type ToolOutcome =
  | { kind: 'returned'; result: Json; patches: { key: string; value: Json }[] }
  | { kind: 'failed'; retryable: boolean; error: LoggedError }
  | { kind: 'unknown'; error: LoggedError };

/** Runs a tool once. A tool that does not end in time is left behind, and what it did is unknown. */
export async function runTool(
  visit: Visit,
  call: { tool: Tool; args: Json; step: number; attempt: number; idempotencyKey: string; timeoutMs: number },
): Promise<ToolOutcome> {
  const { tool, args, step, attempt, idempotencyKey } = call;
  const { rt, run } = visit;
  const { signal, expired, clear } = deadlineSignal(call.timeoutMs);
  const requests = keyedFetch(idempotencyKey, signal);
  const values = await toolState(visit);
  const ctx: ToolContext = {
    runId: run.runId,
    step,
    attempt,
    idempotencyKey,
    state: values.state,
    subkey: (n) => `${idempotencyKey}:${n}`,
    signal,
    log: (message, fields) =>
      rt.report({ level: 'info', message, runId: run.runId, step, ...(fields && { fields }) }),
    fetch: requests.fetch,
  };
  try {
    const result: unknown = (await Promise.race([tool.run(args, ctx), expired])) ?? null;
    const problem = findUnrepresentable(result);
    if (!problem) return { kind: 'returned', result: result as Json, patches: values.patches() };
    const message = `The call was done, but its result cannot be stored: ${problem}. It was not repeated.`;
    return { kind: 'failed', retryable: false, error: { code: 'result_not_json', message } };
  } catch (error) {
    const meaning = meaningOf(error, { timedOut: signal.aborted, sentBefore: requests.sent() });
    const logged = loggedError(error, signal.aborted ? 'tool_timeout' : 'tool_error');
    if (meaning === 'unknown') return { kind: 'unknown', error: logged };
    return { kind: 'failed', retryable: meaning === 'retryable', error: logged };
  } finally {
    clear();
  }
}

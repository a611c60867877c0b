import type { LoggedError } from '../core/event-parts.ts';
import { copyJson, type Json } from '../core/json.ts';
import { errorChain } from '../models/error-chain.ts';
import { loggedError } from '../models/logged-error.ts';
import type { Tool, ToolContext } from '../tool.ts';
import { deadlineSignal } from './deadline-signal.ts';
import { meaningOf } from './error-meaning.ts';
import { keyedFetch } from './keyed-fetch.ts';
import type { ToolState } from './tool-state.ts';
import type { Visit } from './visit.ts';

/** What came of one attempt at a tool call, as far as this worker can know. */
export type ToolOutcome =
  | { kind: 'returned'; result: Json; patches: { key: string; value: Json }[] }
  | { kind: 'failed'; retryable: boolean; error: LoggedError; patches?: { key: string; value: Json }[] }
  | { kind: 'unknown'; error: LoggedError };

/** Runs a tool once. A tool that does not end in time is left behind, and what it did is unknown. */
export async function runTool(
  visit: Visit,
  call: {
    tool: Tool;
    args: Json;
    /** What `ctx.state` reads and has written. */
    values: ToolState;
    step: number;
    attempt: number;
    idempotencyKey: string;
    timeoutMs: number;
  },
): Promise<ToolOutcome> {
  const { tool, args, values, step, attempt, idempotencyKey } = call;
  const { run } = visit;
  const { signal, expired, clear } = deadlineSignal(call.timeoutMs);
  const requests = keyedFetch(idempotencyKey, signal);
  const ctx: ToolContext = {
    runId: run.runId,
    step,
    attempt,
    idempotencyKey,
    state: values.state,
    subkey: (n) => `${idempotencyKey}:${n}`,
    signal,
    log: (message, fields) => toolLog(visit, step, { message, fields }),
    fetch: requests.fetch,
  };
  let result: unknown;
  try {
    result = (await Promise.race([tool.run(args, ctx), expired])) ?? null;
  } catch (error) {
    const meaning = meaningOf(error, { timedOut: signal.aborted, sentBefore: requests.sent() });
    const logged = loggedError(error, signal.aborted ? 'tool_timeout' : 'tool_error');
    if (meaning === 'unknown') return { kind: 'unknown', error: logged };
    return { kind: 'failed', retryable: meaning === 'retryable', error: logged };
  } finally {
    clear();
  }
  // From here on the call is done, whatever its result is like.
  const copied = copyJson(result);
  if ('value' in copied) return { kind: 'returned', result: copied.value, patches: values.patches() };
  const message = `The call was done, but its result cannot be stored: ${copied.problem}. It was not repeated.`;
  const error = { code: 'result_not_json', message };
  return { kind: 'failed', retryable: false, error, patches: values.patches() };
}

/** What a tool writes into the service's log never turns against the tool. */
function toolLog(
  { rt, run }: Visit,
  step: number,
  { message, fields }: { message: string; fields: Record<string, unknown> | undefined },
): void {
  const copied = copyJson(fields ?? {});
  const shown = 'value' in copied ? (copied.value as Record<string, Json>) : { unprintable: copied.problem };
  rt.report({
    level: 'info',
    message: typeof message === 'string' ? message : errorChain(message)[0]?.message || 'no message',
    runId: run.runId,
    step,
    ...(fields && { fields: shown }),
  });
}

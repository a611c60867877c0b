import type { Records, RunRecord } from '../../functions/agents/research/demo/records.ts';
import type { ReceivedCall } from '../../functions/agents/research/demo/resent-calls.ts';
import type { RecordedRequest } from '../../functions/agents/research/desk/request-record.ts';
import type { Event } from '../../lib/core/events.ts';

/** Records of a story in which nothing went wrong: one run, one kill, one ticket. */
export function soundRecords(): Records {
  return {
    runs: [run('run_a', [asked(1, 0), asked(1, 10, 2), answered(1, 20), asked(4, 30), answered(4, 40)])],
    modelCalls: [call('first', 1), call('first', 11), call('second', 31)],
    requests: [request({ route: 'create_ticket', key: 'run_a:5' })],
    tickets: [{ key: 'run_a:5' }],
    serverLog: `${announced(11)}\n${announced(12, 1)}\nstopping: the steps in flight may end\n`,
  };
}

export function run(runId: string, events: Event[], violations: RunRecord['violations'] = []): RunRecord {
  return { runId, status: 'completed', events, violations };
}

/** An attempt at a model call, so many ms after the start. */
export function asked(step: number, ms: number, attempt = 1): Event {
  const claim = { owner: 'lock.worker', messageId: 'm', deadline: time(ms + 1_000) };
  return {
    ...envelope(step, ms),
    type: 'model_call_requested',
    requestHash: 'h',
    params: {},
    attempt,
    claim,
  };
}

export function answered(step: number, ms: number): Event {
  const usage = { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0 };
  return {
    ...envelope(step, ms),
    type: 'model_responded',
    calls: [],
    finishReason: { unified: 'stop' },
    usage,
  };
}

/** A line of the model's record. */
export function call(promptHash: string, ms: number): ReceivedCall {
  return { at: time(ms), messages: 2, promptHash };
}

export function request(fields: Partial<RecordedRequest>): RecordedRequest {
  return {
    id: 1,
    at: time(0),
    route: 'create_ticket',
    method: 'POST',
    path: '/',
    key: null,
    body: '{}',
    did: 'applied',
    status: 200,
    answer: 'sent',
    ...fields,
  };
}

/** The line with which a server says that it is running. */
export function announced(pid: number, unfinished = 0): string {
  return JSON.stringify({ url: 'http://127.0.0.1:1', agents: ['research'], dataDir: 'd', unfinished, pid });
}

function envelope(step: number, ms: number) {
  return { v: 1 as const, seq: ms, step, at: time(ms) };
}

function time(ms: number): string {
  return new Date(Date.UTC(2026, 2, 2) + ms).toISOString();
}

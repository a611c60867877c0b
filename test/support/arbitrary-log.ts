import { type Draft, EVENT_VERSION, type Event } from '../../lib/core/events.ts';
import { fold } from '../../lib/core/fold.ts';
import { emptyState, type RunState, type ToolCall } from '../../lib/core/state.ts';

const START = Date.UTC(2026, 0, 1);
const FAR = '2027-01-01T00:00:00.000Z';
const HASH = '0'.repeat(64);

/**
 * A log that the protocol allows, as commits, made from a tape of choices: each number picks one of the commits that may
 * come next. It walks through everything that a run can meet, messages, signals and late retries included.
 */
export function logFrom(tape: readonly number[]): Event[][] {
  const commits: Event[][] = [];
  let state = emptyState();
  let entries = 1;
  const append = (drafts: readonly Draft[]) => {
    const events = drafts.map(
      (draft, index) =>
        ({
          v: EVENT_VERSION,
          seq: state.head + 1 + index,
          at: new Date(START + commits.length * 1_000).toISOString(),
          ...draft,
        }) as Event,
    );
    commits.push(events);
    state = fold(events, state);
  };
  append([
    { type: 'run_started', step: 0, agent: 'a', revision: '1', promptHash: HASH, input: 'go', entry: 0 },
  ]);
  for (const choice of tape) {
    const options = [...workOptions(state), ...outsideOptions(state, entries)];
    if (options.length === 0) break;
    const drafts = options[choice % options.length] as Draft[];
    if (drafts.some((draft) => 'entry' in draft && draft.entry !== undefined)) entries++;
    append(drafts);
    if (state.status !== 'running') break;
  }
  return commits;
}

const claim = { owner: 'w', messageId: 'm', deadline: FAR };
const error = { code: 'e', message: 'went wrong' };

function workOptions(state: RunState): Draft[][] {
  if (state.turn) return state.turn.calls.flatMap((call) => toolOptions(state, call));
  const { model } = state;
  const step = model.step || state.step + 1;
  if (model.phase === 'claimed') return modelOptions(state);
  if (model.phase === 'ready' || model.phase === 'retry') {
    return [
      [
        {
          type: 'model_call_requested',
          step,
          attempt: model.attempt + 1,
          requestHash: HASH,
          params: {},
          claim,
        },
      ],
    ];
  }
  return state.final ? [[{ type: 'run_completed', step: state.step, output: 'done' }]] : [];
}

function modelOptions({ model }: RunState): Draft[][] {
  const { step, attempt } = model;
  const usage = { inputTokens: 3, outputTokens: 2, cachedInputTokens: 1 };
  const responded = (names: readonly string[]): Draft => ({
    type: 'model_responded',
    step,
    completion: {
      content: [
        { type: 'text', text: 'so' },
        ...names.map((name, index) => ({
          type: 'tool-call',
          toolCallId: `p${index}`,
          toolName: name,
          input: '{}',
        })),
      ],
    },
    calls: names.map((name, index) => ({ toolCallId: `p${index}`, name })),
    finishReason: { unified: 'stop' },
    usage,
  });
  const refused: Draft = { type: 'tool_returned', step, callId: `${step}.1`, source: 'invalid', error };
  return [
    [responded([])],
    [responded(['a'])],
    [responded(['a', 'b']), refused],
    [responded(['a', 'b', 'c'])],
    [{ type: 'model_call_failed', step, error, attempt, retryAt: FAR }],
    [{ type: 'model_call_requested', step, attempt: attempt + 1, requestHash: HASH, params: {}, claim }],
  ];
}

function toolOptions(state: RunState, call: ToolCall): Draft[][] {
  const { callId, name, attempt } = call;
  const step = call.step || state.step + 1;
  const requested: Draft = {
    type: 'tool_call_requested',
    step,
    callId,
    name,
    args: {},
    idempotencyKey: `r:${step}`,
    effect: 'keyed',
    window: 1_000,
    attempt: attempt + 1,
    claim,
    ...(call.approval && { approval: call.approval.interruptId }),
  };
  const returned: Draft = {
    type: 'tool_returned',
    step,
    callId,
    source: 'executed',
    result: { n: state.head },
  };
  const failed: Draft = {
    type: 'tool_call_failed',
    step,
    callId,
    error,
    attempt,
    outcome: 'failed',
    retryAt: FAR,
  };
  const interruptId = `i${state.head + 1}`;
  const asked = { type: 'interrupted' as const, interruptId, callId, tool: name, args: {}, argsHash: HASH };
  switch (call.phase) {
    case 'ready': {
      const gate: Draft[] = [{ ...asked, step: state.step + 1, reason: 'awaiting_approval' }];
      return call.approval || call.attempt > 0 ? [[requested]] : [[requested], gate];
    }
    case 'claimed':
      return [
        [returned],
        [failed],
        [failed, { ...returned, error }],
        [{ ...failed, outcome: 'unknown' }],
        [{ ...asked, step, reason: 'in_doubt' }],
      ];
    case 'unknown':
    case 'retry':
      return [[requested], [{ ...asked, step, reason: 'in_doubt' }]];
    case 'paused':
      return decisionOptions(state, call);
    default:
      return [];
  }
}

function decisionOptions(state: RunState, { callId }: ToolCall): Draft[][] {
  const interrupt = state.interrupts.find((each) => each.callId === callId);
  if (!interrupt) return [];
  const { step, interruptId } = interrupt;
  const resumed = (decision: string): Draft => ({
    type: 'resumed',
    step,
    interruptId,
    by: 'ann',
    outcome: { decision },
  });
  const told: Draft = { type: 'tool_returned', step, callId, source: 'denied', error };
  if (interrupt.reason === 'in_doubt')
    return [[resumed('retry')], [resumed('skip'), { ...told, source: 'operator' }]];
  return [[resumed('approve')], [resumed('deny'), told]];
}

function outsideOptions(state: RunState, entry: number): Draft[][] {
  const step = state.step;
  return [
    [{ type: 'message_received', step, messageId: `m${entry}`, content: `message ${entry}`, entry }],
    [{ type: 'signal_received', step, signalId: `s${entry}`, name: 'go', payload: { entry }, entry }],
    [{ type: 'state_patched', step, key: `k${entry % 3}`, value: entry }],
  ];
}

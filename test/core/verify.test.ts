import { expect, test } from 'vitest';
import type { Event } from '../../lib/core/events.ts';
import { hashJson, sha256 } from '../../lib/core/hash.ts';
import { type RunFacts, verify } from '../../lib/core/verify.ts';

const at = '2026-01-01T00:00:00.000Z';
const claim = { owner: 'w', messageId: 'm', deadline: at };
const HASH = '0'.repeat(64);
const args = { n: 1 };

const STARTED = {
  type: 'run_started',
  step: 0,
  agent: 'a',
  revision: '1',
  promptHash: HASH,
  input: 'go',
  entry: 0,
};
const ASKED = { type: 'model_call_requested', step: 1, requestHash: HASH, params: {}, attempt: 1, claim };
const ANSWERED = {
  type: 'model_responded',
  step: 1,
  completion: { content: [] },
  calls: [{ toolCallId: 'p', name: 't' }],
  finishReason: { unified: 'tool-calls' },
  usage: { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0 },
};
const CALLED = {
  type: 'tool_call_requested',
  step: 2,
  callId: '1.0',
  name: 't',
  args,
  idempotencyKey: 'r:2',
  effect: 'once',
  attempt: 1,
  claim,
};
const RETURNED = { type: 'tool_returned', step: 2, callId: '1.0', source: 'executed', result: 1 };
const GATE = {
  type: 'interrupted',
  step: 2,
  interruptId: 'i3',
  reason: 'awaiting_approval',
  callId: '1.0',
  args,
  argsHash: hashJson(args),
};
const APPROVED = { type: 'resumed', step: 2, interruptId: 'i3', by: 'ann', outcome: { decision: 'approve' } };
const CANCEL = { type: 'cancel_requested', step: 0, by: 'ann', entry: 1 };
const slot = { decision: 'approve', by: 'ann', at, argsHash: hashJson(args) };

/** The facts of a log of one commit per event; `changes` are what was tampered with. */
function facts(events: readonly object[], changes: Partial<RunFacts> = {}): RunFacts {
  const commits = events.map((event, seq) => {
    const sealed = { v: 1, seq, at, ...event } as Event;
    return { seq, owner: 'w', messageId: 'm', hash: sha256(JSON.stringify([sealed])), events: [sealed] };
  });
  return {
    commits,
    hashes: commits.map((commit) => commit.hash),
    resumed: undefined,
    slots: new Map(),
    inbox: [
      { number: 0, id: 's', kind: 'start' },
      ...(events.includes(CANCEL) ? [{ number: 1, id: 'c', kind: 'cancel' }] : []),
    ],
    header: { status: 'running', wakeAt: 1 },
    damaged: new Map(),
    ...changes,
  };
}

function found(input: RunFacts): number[] {
  return [...new Set(verify(input).violations.map((violation) => violation.guarantee))].sort((a, b) => a - b);
}

test('a sound log has no violation, and says what it could not check', () => {
  const verdict = verify(facts([STARTED, ASKED, ANSWERED, CALLED, RETURNED]));
  expect(verdict).toMatchObject({ ok: true, violations: [], notChecked: [{ guarantee: 4 }] });
});

test.each<[number, string, RunFacts]>([
  [1, 'a gap', facts([STARTED, { ...ASKED, seq: 2 }])],
  [1, 'a rewritten commit', facts([STARTED, ASKED], { hashes: [HASH, HASH] })],
  [2, 'two results of one call', facts([STARTED, ASKED, ANSWERED, CALLED, RETURNED, RETURNED])],
  [2, 'a result without a claim', facts([STARTED, ASKED, ANSWERED, RETURNED])],
  [
    2,
    'a result that nobody asked for',
    facts([STARTED, ASKED, ANSWERED, { ...CALLED, callId: '1.7' }, { ...RETURNED, callId: '1.7' }]),
  ],
  [3, 'a claim after the outcome', facts([STARTED, ASKED, ANSWERED, ASKED])],
  [4, 'a key that was applied twice', facts([STARTED], { applied: new Map([['r:2', 2]]) })],
  [
    5,
    'a once call that is sent again by itself',
    facts([STARTED, ASKED, ANSWERED, CALLED, { ...CALLED, attempt: 2 }]),
  ],
  [6, 'a running run without a wakeAt', facts([STARTED], { header: { status: 'running' } })],
  [6, 'a run without a header', facts([STARTED], { header: undefined })],
  [8, 'a claim after a cancel', facts([STARTED, CANCEL, ASKED])],
  [
    8,
    'an event after the end',
    facts([
      STARTED,
      { type: 'run_completed', step: 0, output: 1 },
      { type: 'state_patched', step: 0, key: 'k', value: 1 },
    ]),
  ],
  [
    9,
    'a gated call whose slot is empty',
    facts([STARTED, ASKED, ANSWERED, GATE, { ...CALLED, step: 3, approval: 'i3' }]),
  ],
  [
    9,
    'other arguments than were approved',
    facts([STARTED, ASKED, ANSWERED, GATE, APPROVED, { ...CALLED, args: { n: 2 }, approval: 'i3' }], {
      slots: new Map([['i3', slot]]),
    }),
  ],
  [
    9,
    'a gated call that rides on nothing',
    facts([STARTED, ASKED, ANSWERED, GATE, APPROVED, CALLED], { slots: new Map([['i3', slot]]) }),
  ],
  [10, 'a call beyond the steps', facts([{ ...STARTED, limits: { steps: 1 } }, ASKED, ANSWERED, CALLED])],
  [
    11,
    'a payload that is missing',
    facts([{ ...STARTED, input: undefined, inputRef: { sha256: HASH, bytes: 3 } }], {
      damaged: new Map([[HASH, 'missing']]),
    }),
  ],
  [
    12,
    'a call while the version is in question',
    facts([STARTED, { type: 'interrupted', step: 1, interruptId: 'i1', reason: 'version_mismatch' }, ASKED]),
  ],
  [
    12,
    'a migration from another revision',
    facts([
      STARTED,
      { type: 'version_migrated', step: 0, from: '7', to: '8', promptHash: HASH, messages: [], values: {} },
    ]),
  ],
  [
    13,
    'a decision that is not the outcome',
    facts([STARTED, ASKED, ANSWERED, GATE, { ...APPROVED, outcome: { decision: 'deny' } }], {
      slots: new Map([['i3', slot]]),
    }),
  ],
  [13, 'an outcome that nobody decided', facts([STARTED, ASKED, ANSWERED, GATE, APPROVED])],
  [
    14,
    'an entry that became no event',
    facts([STARTED, { type: 'run_completed', step: 0, output: 1 }], {
      inbox: [
        { number: 0, id: 's', kind: 'start' },
        { number: 1, id: 'm', kind: 'message' },
        { number: 2, id: 'c', kind: 'closed' },
      ],
    }),
  ],
  [14, 'an end without a closed inbox', facts([STARTED, { type: 'run_completed', step: 0, output: 1 }])],
])('guarantee %i is missed by %s', (guarantee, _, input) => {
  expect(found(input)).toContain(guarantee);
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Event } from '../../lib/core/events.ts';
import { fold } from '../../lib/core/fold.ts';
import { MODEL, runnable } from '../../lib/core/next.ts';
import type { Payload } from '../../lib/core/payload.ts';
import type { RunState } from '../../lib/core/state.ts';
import type { Completion } from '../../lib/models/completion.ts';
import { type LoadedEntry, promptOf } from '../../lib/models/prompt.ts';
import { logFrom } from '../support/arbitrary-log.ts';
import { refusal } from '../support/provider-rules.ts';

const logs = fc.array(fc.nat(30), { minLength: 1, maxLength: 120 }).map(logFrom);
const around = { now: Date.UTC(2030, 0, 1), margin: 0 };

test('any log folds the same from any snapshot', () => {
  fc.assert(
    fc.property(logs, (commits) => {
      const whole = fold(commits.flat());
      let state = fold([]);
      for (const [index, commit] of commits.entries()) {
        state = fold(commit, state);
        const snapshot = JSON.parse(JSON.stringify(state)) as RunState;
        expect(fold(commits.slice(index + 1).flat(), snapshot)).toEqual(whole);
      }
    }),
    { numRuns: 60 },
  );
});

test('the fold leaves the state that it begins with as it was', () => {
  fc.assert(
    fc.property(logs, (commits) => {
      const middle = Math.floor(commits.length / 2);
      const state = fold(commits.slice(0, middle).flat());
      const before = JSON.stringify(state);
      fold(commits.slice(middle).flat(), state);
      expect(JSON.stringify(state)).toBe(before);
    }),
  );
});

test('every prefix at which a model call is next folds to a request that a provider accepts', () => {
  let requests = 0;
  fc.assert(
    fc.property(logs, (commits) => {
      let state = fold([]);
      for (const commit of commits) {
        state = fold(commit, state);
        if (!runnable(state, around).includes(MODEL)) continue;
        requests++;
        const prompt = promptOf('be good', state.transcript.tail.map(loaded), () => 1_000);
        expect(refusal(prompt)).toBeUndefined();
      }
    }),
    { numRuns: 300 },
  );
  expect(requests).toBeGreaterThan(100);
});

test('a model call that is issued again sends exactly what its first attempt sent', () => {
  fc.assert(
    fc.property(logs, (commits) => {
      const sent = new Map<number, string>();
      let state = fold([]);
      for (const commit of commits) {
        for (const event of commit) {
          if (event.type !== 'model_call_requested') continue;
          const request = JSON.stringify(state.transcript.tail);
          expect(request).toBe(sent.get(event.step) ?? request);
          sent.set(event.step, request);
        }
        state = fold(commit, state);
      }
    }),
    { numRuns: 300 },
  );
});

test('a message that comes while a call is open changes neither the call nor what the model was sent', () => {
  let met = 0;
  fc.assert(
    fc.property(logs, (commits) => {
      let state = fold([]);
      for (const commit of commits) {
        const before = state;
        state = fold(commit, state);
        const open = before.turn !== undefined || ['claimed', 'retry'].includes(before.model.phase);
        if (commit[0]?.type !== 'message_received' || !open) continue;
        met++;
        expect(state.model).toEqual(before.model);
        expect(state.turn).toEqual(before.turn);
        expect(state.transcript).toEqual(before.transcript);
      }
    }),
    { numRuns: 300 },
  );
  expect(met).toBeGreaterThan(20);
});

test('every message of the outside is in the transcript once, in its order, when a model is asked after it', () => {
  fc.assert(
    fc.property(logs, (commits) => {
      const state = fold(commits.flat());
      const wanted = commits
        .flat()
        .flatMap((event: Event) => (event.type === 'message_received' ? [event.content] : []));
      const entries = [
        ...state.transcript.tail.flatMap((entry) => (entry.role === 'user' ? [entry.content] : [])),
        ...state.waiting.map(({ content }) => content),
      ];
      expect(entries.slice(1).map(plain)).toEqual(wanted);
    }),
  );
});

function plain(payload: Payload) {
  return 'value' in payload ? payload.value : payload.ref;
}

function loaded(entry: RunState['transcript']['tail'][number]): LoadedEntry {
  if (entry.role === 'user') return { role: 'user', content: plain(entry.content) };
  if (entry.role === 'assistant')
    return { role: 'assistant', completion: plain(entry.completion) as unknown as Completion };
  if (entry.role === 'base') return { role: 'base', messages: plain(entry.messages) };
  return {
    role: 'tool',
    results: entry.results.map(({ payload, ...result }) => ({
      ...result,
      ...(payload && { value: plain(payload) }),
    })),
  };
}

import { expect, test } from 'vitest';
import { count, violationsIn } from '../../functions/agents/research/demo/count.ts';
import { announced, answered, asked, call, request, run, soundRecords } from './records.ts';

test('sound records count as such', () => {
  expect(count(soundRecords())).toEqual({
    kills: 1,
    ticketsPerKey: 1,
    modelCallsResent: 0,
    violations: 0,
    runs: 1,
    completed: 1,
    modelAnswers: 2,
    modelCalls: 3,
    tickets: 1,
    desk: {
      create_ticket: { received: 1, done: 1 },
      post_comment: { received: 0, done: 0 },
      page_oncall: { received: 0, done: 0 },
      close_ticket: { received: 0, done: 0 },
    },
    askedByKey: 0,
  });
});

test('a server that said that it stops, or that said more before it was killed, is told from one that was killed', () => {
  const kills = (...lines: string[]) => count({ ...soundRecords(), serverLog: lines.join('\n') }).kills;
  const goodbye = 'stopping: the steps in flight may end';
  expect(kills()).toBe(0);
  expect(kills(announced(1), goodbye)).toBe(0);
  expect(kills(announced(1), 'info run_a paused', announced(2), announced(3), goodbye)).toBe(2);
  expect(kills(announced(1), goodbye, announced(2))).toBe(1);
});

test('two tickets on one key are seen, also beside keys that have one', () => {
  const tickets = [{ key: 'run_a:5' }, { key: 'run_b:5' }, { key: 'run_a:5' }];
  expect(count({ ...soundRecords(), tickets }).ticketsPerKey).toBe(2);
  expect(count({ ...soundRecords(), tickets: [] }).ticketsPerKey).toBe(0);
});

test('a model call that is sent again after its answer is in the log is counted, one that was cut off is not', () => {
  const resent = (...again: ReturnType<typeof call>[]) => {
    const sound = soundRecords();
    return count({ ...sound, modelCalls: [...sound.modelCalls, ...again] }).modelCallsResent;
  };
  expect(resent(call('first', 12))).toBe(0);
  expect(resent(call('first', 21))).toBe(1);
  expect(resent(call('first', 50), call('second', 50), call('first', 60))).toBe(3);
});

test('a call of which no log knows counts as sent again', () => {
  const sound = soundRecords();
  const changed = [...sound.modelCalls, call('first, told differently', 25)];
  expect(count({ ...sound, modelCalls: changed }).modelCallsResent).toBe(1);
});

test('the calls of several runs are told apart', () => {
  const runs = [
    run('run_a', [asked(1, 0), answered(1, 20), asked(4, 100), answered(4, 120)]),
    run('run_b', [asked(1, 40), answered(1, 60)]),
  ];
  const modelCalls = [call('a1', 1), call('b1', 41), call('a2', 101)];
  expect(count({ ...soundRecords(), runs, modelCalls }).modelCallsResent).toBe(0);
  const again = [...modelCalls, call('b1', 70)];
  expect(count({ ...soundRecords(), runs, modelCalls: again }).modelCallsResent).toBe(1);
});

test('what verify found and what the desk did twice for one key are violations, each in words', () => {
  const runs = [run('run_a', [], [{ guarantee: 3, message: 'claimed again', events: [7] }])];
  const requests = [
    request({ route: 'create_ticket', key: 'run_a:5' }),
    request({ route: 'create_ticket', key: 'run_b:5' }),
    request({ route: 'create_ticket', key: 'run_a:5' }),
    request({ route: 'post_comment', key: 'run_a:7' }),
    request({ route: 'post_comment', key: 'run_a:7', did: 'replayed' }),
  ];
  expect(violationsIn({ runs, requests })).toEqual([
    'run run_a, guarantee 3: claimed again',
    'the desk did create_ticket 2 times for run_a:5',
  ]);
  expect(count({ ...soundRecords(), runs, requests }).violations).toBe(2);
});

test('a page that was sent twice is a violation even if only one went out', () => {
  const requests = [
    request({ route: 'page_oncall', key: 'run_a:9' }),
    request({ route: 'page_oncall', key: 'run_a:9', did: 'received', answer: 'pending' }),
  ];
  expect(violationsIn({ runs: [], requests })).toEqual(['page_oncall was sent 2 times for run_a:9']);
});

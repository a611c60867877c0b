import { expect, test } from 'vitest';
import { StepfoldError } from '../../lib/core/errors.ts';
import { knownEnds } from '../../lib/local/known-ends.ts';
import { memoryEventLog } from '../../lib/memory/memory-event-log.ts';

const RUN = { tenant: 't', runId: 'run' };
const ALL = Number.MAX_SAFE_INTEGER;

function commit(seq: number, count = 1) {
  const events = Array.from({ length: count }, (_, index) => ({ seq: seq + index }));
  return { seq, events, owner: 'owner', messageId: 'message', hash: 'hash' };
}

/** A log that counts its reads, and may fail after it has written. */
function open(most?: number) {
  const inner = memoryEventLog();
  const seen = { reads: 0, losing: false };
  const log = knownEnds(
    {
      ...inner,
      async append(run, made) {
        const answer = await inner.append(run, made);
        if (seen.losing) throw new StepfoldError('unavailable', 'the answer was lost');
        return answer;
      },
      read(run, range) {
        seen.reads++;
        return inner.read(run, range);
      },
    },
    most,
  );
  return { inner, log, seen };
}

test('what comes after the last append is nothing, and is known without a read', async () => {
  const { log, seen } = open();
  await log.append(RUN, commit(0, 3));
  expect(await log.read(RUN, { after: 2, limit: ALL })).toEqual([]);
  expect(seen.reads).toBe(0);
  expect(await log.read(RUN, { after: 1, limit: ALL })).toEqual([commit(0, 3)]);
  expect(seen.reads).toBe(1);
});

test('after an append whose answer was lost, or that somebody else has won, the log is asked', async () => {
  const { inner, log, seen } = open();
  await log.append(RUN, commit(0));
  seen.losing = true;
  await expect(log.append(RUN, commit(1))).rejects.toMatchObject({ code: 'unavailable' });
  expect(await log.read(RUN, { after: 0, limit: ALL })).toEqual([commit(1)]);
  seen.losing = false;
  await inner.append(RUN, commit(2));
  expect(await log.append(RUN, commit(2))).toBe('conflict');
  expect(await log.read(RUN, { after: 1, limit: ALL })).toEqual([commit(2)]);
});

test('a reader sees every append that has returned, also of those that are asked for at once', async () => {
  const { log } = open();
  for (let seq = 0; seq < 50; seq++) {
    const answers = await Promise.all([log.append(RUN, commit(seq)), log.append(RUN, commit(seq))]);
    expect(answers.sort()).toEqual(['appended', 'conflict']);
    expect(await log.read(RUN, { after: seq - 1, limit: ALL })).toHaveLength(1);
    expect(await log.read(RUN, { after: seq, limit: ALL })).toEqual([]);
  }
});

test('of too many runs the ends are forgotten that were written first', async () => {
  const { log, seen } = open(2);
  for (const runId of ['a', 'b', 'c']) await log.append({ tenant: 't', runId }, commit(0));
  for (const runId of ['a', 'b', 'c'])
    expect(await log.read({ tenant: 't', runId }, { after: 0, limit: ALL })).toEqual([]);
  expect(seen.reads).toBe(1);
});

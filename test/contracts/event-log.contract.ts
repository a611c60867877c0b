import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Commit, EventLog, Evidence } from '../../lib/ports/event-log.ts';
import { AWKWARD_VALUES, anyJson, expectIdentical } from './awkward-values.ts';
import { freshRun, type Open } from './open.ts';

/** What every event log does. */
export function eventLogContract(name: string, open: Open<'log'>): void {
  describe(`event log: ${name}`, () => {
    let log: EventLog;
    let close: () => Promise<void>;

    beforeEach(async () => {
      const opened = await open();
      log = opened.world.log;
      close = opened.close;
    });
    afterEach(() => close());

    test('a run without a log has no manifest and no commits', async () => {
      const run = freshRun();
      expect(await log.load(run)).toEqual({ commits: [] });
      expect(await log.read(run, { after: -1, limit: 10 })).toEqual([]);
      expect(await log.evidence(run)).toEqual([]);
    });

    test('an append is read back as it was written', async () => {
      const run = freshRun();
      const commit = commitOf(0, 2);
      expect(await log.append(run, commit)).toBe('appended');
      expect(await log.load(run)).toEqual({ commits: [commit] });
    });

    test('a second commit at the same seq is a conflict and changes nothing, whoever wrote it', async () => {
      const run = freshRun();
      const first = commitOf(0, 1, 'one');
      await log.append(run, first);
      expect(await log.append(run, commitOf(0, 1, 'two'))).toBe('conflict');
      expect(await log.append(run, first)).toBe('conflict');
      expect(await log.load(run)).toEqual({ commits: [first] });
    });

    test('of 20 concurrent appends at one seq exactly one succeeds, and it is the one that is read', async () => {
      const run = freshRun();
      await log.append(run, commitOf(0, 1));
      const commits = Array.from({ length: 20 }, (_, i) => commitOf(1, 1, `owner ${i}`));
      const answers = await Promise.all(commits.map((commit) => log.append(run, commit)));
      expect(answers.filter((answer) => answer === 'appended')).toHaveLength(1);
      expect(await log.read(run, { after: 0, limit: 10 })).toEqual([commits[answers.indexOf('appended')]]);
    });

    test('commits come in the order of their seq, also past ten and a hundred', async () => {
      const run = freshRun();
      for (let seq = 0; seq < 120; seq++) await log.append(run, commitOf(seq, 1));
      const seqs = (await log.load(run)).commits.map(({ seq }) => seq);
      expect(seqs).toEqual(Array.from({ length: 120 }, (_, seq) => seq));
    });

    test('runs do not see each other, nor do tenants with equal run ids', async () => {
      const run = freshRun();
      await log.append(run, commitOf(0, 1, 'ours'));
      const other = { ...run, tenant: 'other' };
      expect(await log.append(other, commitOf(0, 1, 'theirs'))).toBe('appended');
      await log.putManifest(other, { seq: 0, fold: 1, state: 'theirs' });
      expect(await log.load(run)).toEqual({ commits: [commitOf(0, 1, 'ours')] });
      expect(await log.load(freshRun())).toEqual({ commits: [] });
    });

    test('what is stored does not change with the object that was handed in, nor with the one that was read', async () => {
      const run = freshRun();
      const commit = { ...commitOf(0, 1), events: [{ seq: 0, list: ['a'] }] };
      await log.append(run, commit);
      commit.events[0]!.list.push('b');
      const [read] = (await log.load(run)).commits;
      (read!.events[0] as { list: string[] }).list.push('c');
      expect((await log.load(run)).commits[0]!.events).toEqual([{ seq: 0, list: ['a'] }]);
    });

    test.each(Object.keys(AWKWARD_VALUES))('%s comes back identical', async (which) => {
      const run = freshRun();
      const value = AWKWARD_VALUES[which];
      await log.append(run, { ...commitOf(0, 1), events: [{ seq: 0, value }] });
      await log.putManifest(run, { seq: -1, fold: 1, state: value });
      await log.putEvidence(run, evidenceOf({ outcome: value }));
      const { manifest, commits } = await log.load(run);
      expectIdentical(commits[0]!.events, [{ seq: 0, value }]);
      expectIdentical(manifest!.state, value);
      expectIdentical((await log.evidence(run))[0]!.outcome, value);
    });

    test('any JSON comes back identical', async () => {
      await fc.assert(
        fc.asyncProperty(anyJson, async (value) => {
          const run = freshRun();
          await log.append(run, { ...commitOf(0, 1), events: [value] });
          expectIdentical((await log.load(run)).commits[0]!.events, [value]);
        }),
      );
    });

    test('a read gives whole commits that hold an event beyond `after`, until the limit is reached', async () => {
      const sizes = fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 12 });
      await fc.assert(
        fc.asyncProperty(
          sizes,
          fc.nat(40),
          fc.integer({ min: 1, max: 20 }),
          async (lengths, start, limit) => {
            const run = freshRun();
            const commits = await appendAll(log, run, lengths);
            const after = start - 1;
            const wanted: Commit[] = [];
            for (const commit of commits) {
              const beyond = (all: readonly Commit[]) => seqsOf(all).filter((seq) => seq > after).length;
              if (beyond([commit]) > 0 && beyond(wanted) < limit) wanted.push(commit);
            }
            expect(await log.read(run, { after, limit })).toEqual(wanted);
          },
        ),
        { numRuns: 50 },
      );
    });

    test('a run that is read in pages gives every event once', async () => {
      const run = freshRun();
      await appendAll(log, run, [1, 4, 2, 1, 1, 5, 3]);
      const seqs: number[] = [];
      for (let after = -1; ; after = seqs.at(-1)!) {
        const page = await log.read(run, { after, limit: 3 });
        if (page.length === 0) break;
        seqs.push(...seqsOf(page).filter((seq) => seq > after));
      }
      expect(seqs).toEqual(Array.from({ length: 17 }, (_, seq) => seq));
    });

    test('a load gives the newest manifest and the commits after it, whatever the hint', async () => {
      const run = freshRun();
      const commits = await appendAll(log, run, [2, 1, 3, 1]);
      const manifest = { seq: 2, fold: 1, state: { steps: 2 } };
      await log.putManifest(run, manifest);
      for (const hint of [undefined, 0, 2, 6, 1_000]) {
        expect(await log.load(run, hint)).toEqual({ manifest, commits: commits.slice(2) });
      }
    });

    test('a load with a manifest of the last event gives no commits', async () => {
      const run = freshRun();
      await appendAll(log, run, [2, 1]);
      await log.putManifest(run, { seq: 2, fold: 1, state: null });
      expect((await log.load(run, 2)).commits).toEqual([]);
    });

    test('a manifest is replaced by one of a higher or the same seq, never by one of a lower', async () => {
      const run = freshRun();
      await appendAll(log, run, [1, 1, 1]);
      const put = async (seq: number, state: string) => {
        await log.putManifest(run, { seq, fold: 1, state });
        return (await log.load(run)).manifest?.state;
      };
      expect(await put(1, 'first')).toBe('first');
      expect(await put(2, 'higher')).toBe('higher');
      expect(await put(1, 'lower')).toBe('higher');
      expect(await put(2, 'made again by another fold')).toBe('made again by another fold');
    });

    test('evidence is kept beside the log, oldest first, and the same evidence once', async () => {
      const run = freshRun();
      const late = evidenceOf({ owner: 'late', at: '2026-01-01T00:00:02.000Z' });
      const early = evidenceOf({ owner: 'early', at: '2026-01-01T00:00:01.000Z' });
      const retried = evidenceOf({ owner: 'late', attempt: 2, at: '2026-01-01T00:00:03.000Z' });
      for (const evidence of [late, early, retried]) await log.putEvidence(run, evidence);
      await log.putEvidence(run, { ...late, at: '2026-01-01T00:00:09.000Z' });
      expect((await log.evidence(run)).map(({ owner, attempt }) => [owner, attempt])).toEqual([
        ['early', 1],
        ['late', 1],
        ['late', 2],
      ]);
      expect(await log.load(run)).toEqual({ commits: [] });
    });
  });
}

/** A commit of `length` events from `seq` on. */
function commitOf(seq: number, length: number, owner = 'owner'): Commit {
  const events = Array.from({ length }, (_, i) => ({ seq: seq + i, type: 'happened' }));
  return { seq, events, owner, messageId: 'message', hash: `hash of ${seq} by ${owner}` };
}

async function appendAll(
  log: EventLog,
  run: ReturnType<typeof freshRun>,
  lengths: number[],
): Promise<Commit[]> {
  const commits: Commit[] = [];
  let seq = 0;
  for (const length of lengths) {
    const commit = commitOf(seq, length);
    expect(await log.append(run, commit)).toBe('appended');
    commits.push(commit);
    seq += length;
  }
  return commits;
}

function seqsOf(commits: readonly Commit[]): number[] {
  return commits.flatMap(({ events }) => events.map((event) => (event as { seq: number }).seq));
}

function evidenceOf(over: Partial<Evidence>): Evidence {
  const at = '2026-01-01T00:00:00.000Z';
  return { callId: '1.0', step: 2, attempt: 1, owner: 'owner', at, outcome: { result: 1 }, ...over };
}

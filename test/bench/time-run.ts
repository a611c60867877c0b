import { openEmbedded } from './embedded.ts';
import { median } from './median.ts';
import type { RawWriter } from './raw-writer.ts';

/** Steps at the end of a run that its time per step is taken over: ten snapshot periods. */
const WINDOW = 200;

/** After so many calls of a model or a tool the raw writer makes so many commits. */
const CALLS = 25;
const COMMITS = 50;

/**
 * Time per step over one raw durable commit, at the end of a run of so many steps. The time of the raw commits between the
 * steps is not theirs. Of several tries the median counts.
 */
export async function timePerStep(raw: RawWriter, steps: number, tries: number): Promise<number> {
  const last = steps / 2 + 1;
  const first = last - WINDOW / 2;
  const ratios: number[] = [];
  let began = 0;
  const embedded = await openEmbedded({
    on: {
      model(n) {
        if (n === first) {
          raw.reset();
          began = performance.now();
        } else if (n === last) {
          const took = performance.now() - began - raw.ms;
          ratios.push(took / WINDOW / raw.each);
        }
        if (n >= first && n < last && (n - first) % CALLS === 0) raw.commit(COMMITS);
      },
    },
  });
  for (let tried = 0; tried < tries; tried++) await embedded.play({ steps });
  await embedded.close();
  return median(ratios);
}

/** Steps per second of so many runs at once, over raw commits per second of one sequential writer. */
export async function throughput(
  raw: RawWriter,
  { runs, steps, tries }: { runs: number; steps: number; tries: number },
): Promise<number> {
  let calls = 0;
  const count = () => {
    if (++calls % (4 * CALLS) === 0) raw.commit(COMMITS);
  };
  const embedded = await openEmbedded({ on: { model: count, tool: count } });
  const ratios: number[] = [];
  for (let tried = 0; tried < tries; tried++) {
    raw.reset();
    const began = performance.now();
    await Promise.all(Array.from({ length: runs }, () => embedded.play({ steps })));
    const took = performance.now() - began - raw.ms;
    ratios.push((runs * (steps + 1) * raw.each) / took);
  }
  await embedded.close();
  return median(ratios);
}

/**
 * From the call that gives an approval to the start of the approved tool call: the median of the last approvals of a run of
 * so many steps, over that of runs of 20. Before each of the former one of the latter is played, so that both meet the same
 * machine.
 */
export async function approvalRatio(steps: number, approvals: number): Promise<number> {
  const pauseEvery = 10;
  const times: { short: number[]; long: number[] } = { short: [], long: [] };
  let measured: keyof typeof times | undefined;
  let approved = 0;
  let left = steps / pauseEvery;
  let longRun: string | undefined;
  const embedded = await openEmbedded({
    on: {
      tool() {
        if (measured) times[measured].push(performance.now() - approved);
        measured = undefined;
      },
    },
    async beforeApproval(runId) {
      const isLong = runId === longRun;
      const counts = !isLong || left-- <= approvals;
      if (isLong && counts) await embedded.play({ steps: 20, pauseEvery: 20 });
      measured = counts ? (isLong ? 'long' : 'short') : undefined;
      approved = performance.now();
    },
  });
  await embedded.play({ steps, pauseEvery }, (runId) => {
    longRun = runId;
  });
  await embedded.close();
  return median(times.long) / median(times.short);
}

import { openEmbedded } from './embedded.ts';
import { median } from './median.ts';
import type { RawWriter } from './raw-writer.ts';

/** Steps at the end of a run that its time per step is taken over: ten snapshot periods. */
const WINDOW = 200;

/**
 * Time per step at the end of a run of so many steps, over one raw durable commit. The raw writer is measured just before
 * and just after; of several tries the median counts.
 */
export async function timePerStep(raw: RawWriter, steps: number, tries: number): Promise<number> {
  const calls: number[] = [];
  const embedded = await openEmbedded({ on: { model: () => calls.push(performance.now()) } });
  const ratios: number[] = [];
  for (let tried = 0; tried < tries; tried++) {
    calls.length = 0;
    const before = raw.measure();
    await embedded.play({ steps });
    const after = raw.measure();
    const end = calls.at(-1) as number;
    const begin = calls.at(-1 - WINDOW / 2) as number;
    ratios.push((end - begin) / WINDOW / ((before + after) / 2));
  }
  await embedded.close();
  return median(ratios);
}

/** Steps per second of so many runs at once, over raw commits per second of one sequential writer. */
export async function throughput(
  raw: RawWriter,
  { runs, steps, tries }: { runs: number; steps: number; tries: number },
): Promise<number> {
  const embedded = await openEmbedded();
  const ratios: number[] = [];
  for (let tried = 0; tried < tries; tried++) {
    const before = raw.measure();
    const began = performance.now();
    await Promise.all(Array.from({ length: runs }, () => embedded.play({ steps })));
    const took = performance.now() - began;
    const after = raw.measure();
    ratios.push((runs * (steps + 1)) / took / (1 / ((before + after) / 2)));
  }
  await embedded.close();
  return median(ratios);
}

/** From the call that gives an approval to the start of the approved tool call, in ms: one for each pause. */
export async function approvalTimes(input: {
  runs: number;
  steps: number;
  pauseEvery: number;
}): Promise<number[]> {
  const { runs, ...run } = input;
  const times: number[] = [];
  let approved: number | undefined;
  const embedded = await openEmbedded({
    onApprove: () => {
      approved = performance.now();
    },
    on: {
      tool() {
        if (approved !== undefined) times.push(performance.now() - approved);
        approved = undefined;
      },
    },
  });
  for (let n = 0; n < runs; n++) await embedded.play(run);
  await embedded.close();
  return times;
}

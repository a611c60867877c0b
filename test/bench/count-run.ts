import type { BenchInput } from './bench-agent.ts';
import { sizeOfDirectory } from './directory-size.ts';
import { openEmbedded } from './embedded.ts';
import { type Counts, openMeter } from './meter.ts';

/** What one run cost, counted. */
export interface Counted extends Counts {
  /** Steps that the run took, its closing answer included. */
  readonly steps: number;
  /** Bytes on disk for the run: all files of the data directory once it is closed, less those of an empty one. */
  readonly storedBytes: number;
  /** For each tool step, its number and the bytes that its visit read. */
  readonly control: readonly { step: number; bytes: number }[];
}

/**
 * Plays a run in a data directory of its own. No time is taken: the meter itself costs some.
 *
 * @param options.remembers whether the process remembers the run, or loads it at each step as after a restart
 */
export async function countRun(input: BenchInput, options: { remembers?: boolean } = {}): Promise<Counted> {
  const empty = await sizeOfEmpty();
  const meter = openMeter();
  const control: { step: number; bytes: number }[] = [];
  let called: number | undefined;
  const embedded = await openEmbedded({
    on: {
      tool(n) {
        called = 2 * n;
      },
    },
    wrap: meter.wrap,
    ...options,
    async around(step) {
      const before = meter.counts.readBytes;
      called = undefined;
      await step();
      if (called !== undefined) control.push({ step: called, bytes: meter.counts.readBytes - before });
    },
  });
  meter.open(embedded.dir);
  await embedded.play(input);
  // The last connection to the database folds its journal into it.
  meter.close();
  await embedded.close();
  const storedBytes = (await sizeOfDirectory(embedded.dir)) - empty;
  return { ...meter.counts, steps: input.steps + 1, storedBytes, control };
}

async function sizeOfEmpty(): Promise<number> {
  const embedded = await openEmbedded();
  await embedded.close();
  return sizeOfDirectory(embedded.dir);
}

/** The most that a tool step in a range of steps has read. */
export function worstControlStep({ control }: Counted, from: number, to: number): number {
  return Math.max(...control.filter(({ step }) => step >= from && step <= to).map(({ bytes }) => bytes));
}

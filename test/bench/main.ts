/** Measures what a step costs in the embedded world, prints a table and writes a JSON file. */
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { countRun, worstControlStep } from './count-run.ts';
import { freshDirectory, removeDirectories } from './embedded.ts';
import { openRawWriter } from './raw-writer.ts';
import { type Figure, tableOf } from './table.ts';
import { deflateRatios } from './text.ts';
import { approvalRatio, throughput, timePerStep } from './time-run.ts';

const KB = 1_024;
const MB = KB * KB;
const CACHE = join(import.meta.dirname, '..', '..', '.cache');

const began = performance.now();
const raw = openRawWriter(await freshDirectory());
try {
  const figures = [...(await counted()), ...(await timed()), await heap()];
  const text = deflateRatios();
  const report = {
    at: new Date().toISOString(),
    node: process.version,
    seconds: Math.round((performance.now() - began) / 1_000),
    rawCommitMs: raw.each,
    deflateRatio: text,
    figures,
  };
  await mkdir(CACHE, { recursive: true });
  const path = join(CACHE, 'bench.json');
  await writeFile(path, `${JSON.stringify(report, undefined, 2)}\n`);
  const ratios = Object.entries(text).map(([name, ratio]) => `${name} ${ratio.toFixed(3)}`);
  process.stdout.write(`${tableOf(figures)}\n\nthe text deflates to: ${ratios.join(', ')}\n`);
  process.stdout.write(`one raw durable commit: ${report.rawCommitMs.toFixed(3)} ms\nwritten to ${path}\n`);
} finally {
  raw.close();
  await removeDirectories();
}

async function counted(): Promise<Figure[]> {
  say('counting what runs of 200 and 2,000 steps write and read');
  const middle = await countRun({ steps: 200 });
  const long = await countRun({ steps: 2_000 });
  const paused = await countRun({ steps: 2_000, pauseEvery: 10 });
  const pausedAndResumed = await countRun({ steps: 2_000, pauseEvery: 10 }, { remembers: false });
  const resumed = await countRun({ steps: 2_000 }, { remembers: false });
  const exponent = Math.log10(long.storedBytes / middle.storedBytes);
  return [
    {
      figure: 'durable commits per step at 2,000',
      measured: long.commits / long.steps,
      must: 2.1,
      aim: 2.05,
      note: `and ${long.blobPuts} blob puts in all`,
    },
    {
      figure: 'stored KB per step at 2,000',
      measured: long.storedBytes / long.steps / KB,
      must: 2,
      aim: 1.6,
    },
    { figure: 'growth exponent of stored bytes, 200 to 2,000', measured: exponent, must: 1.05, aim: 1.02 },
    {
      figure: 'bytes read to resume a control step, 2,000 over 20',
      measured: worstControlStep(resumed, 1_981, 2_000) / worstControlStep(resumed, 1, 20),
      must: 1.3,
      aim: 1.1,
    },
    {
      figure: 'MB of manifest and tail read, 2,000 steps, a pause every 10',
      measured: paused.loadedBytes / MB,
      must: 20,
      aim: 12,
      note: `${(pausedAndResumed.loadedBytes / MB).toFixed(1)} by processes that remember nothing`,
    },
  ];
}

async function timed(): Promise<Figure[]> {
  say('warming up');
  await timePerStep(raw, 600, 3);
  say('timing steps, one run at a time');
  const at200 = await timePerStep(raw, 200, 9);
  const at2000 = await timePerStep(raw, 2_000, 5);
  say('timing approvals');
  const approval = await approvalRatio(2_000, 40);
  say('timing 32 runs at once');
  const rate = await throughput(raw, { runs: 32, steps: 200, tries: 3 });
  return [
    { figure: 'time per step over one raw commit, at 200', measured: at200, must: 6, aim: 3.5 },
    { figure: 'time per step over one raw commit, at 2,000', measured: at2000, must: 6, aim: 3.5 },
    {
      figure: 'approval to next step, 2,000 over 20',
      measured: approval,
      must: 1.5,
      aim: 1.1,
    },
    {
      figure: 'steps per second, 32 runs, over raw commits per second',
      measured: rate,
      must: 0.15,
      aim: 0.4,
      atLeast: true,
    },
  ];
}

async function heap(): Promise<Figure> {
  say('playing 2,000 runs of 50 steps for the heap');
  const args = ['--disable-warning=ExperimentalWarning', '--expose-gc', join(import.meta.dirname, 'heap.ts')];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const { few, many } = JSON.parse(stdout) as { few: number; many: number };
  return {
    figure: 'heap after 2,000 runs of 50 steps over after 20',
    measured: many / few,
    must: 1.3,
    aim: 1.1,
    note: `${(few / MB).toFixed(1)} to ${(many / MB).toFixed(1)} MB`,
  };
}

function say(what: string): void {
  process.stderr.write(`${what}…\n`);
}

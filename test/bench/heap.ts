/** Plays runs in a process of its own and prints how much heap is left of them; needs `--expose-gc`. */
import { setTimeout as wait } from 'node:timers/promises';
import { openEmbedded, removeDirectories } from './embedded.ts';

const FEW = 20;
const MANY = 2_000;
const STEPS = 50;
const AT_ONCE = 32;
const SETTLE_MS = 200;

const embedded = await openEmbedded();
await play(FEW);
const few = await heapLeft();
await play(MANY - FEW);
const many = await heapLeft();
await embedded.close();
await removeDirectories();
process.stdout.write(`${JSON.stringify({ few, many })}\n`);

async function play(runs: number): Promise<void> {
  let left = runs;
  const lane = async () => {
    while (left-- > 0) await embedded.play({ steps: STEPS });
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}

/** Bytes, after forced collections; workers first end what they have begun. */
async function heapLeft(): Promise<number> {
  await wait(SETTLE_MS);
  for (let i = 0; i < 3; i++) globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

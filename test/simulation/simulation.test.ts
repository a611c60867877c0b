import { expect, test } from 'vitest';
import { simulate, type Tally } from './simulate.ts';

/** `SIMULATION_SEEDS=1000-6000 npm test -- test/simulation` plays others. */
const [FROM = 1, TO = 200] = (process.env.SIMULATION_SEEDS ?? '1-200').split('-').map(Number);

test(`random runs of random agents, among crashes, zombies, duplicates, skewed clocks and whatever people do, keep every guarantee`, async () => {
  const tally: Tally = {
    crash: 0,
    zombie: 0,
    duplicate: 0,
    skew: 0,
    memory: 0,
    deed: 0,
    refusal: 0,
    cancelled: 0,
    completed: 0,
  };
  const wrong: string[] = [];
  for (let seed = FROM; seed <= TO; seed++) {
    const found = await simulate(seed, tally);
    wrong.push(...found.map((what) => `seed ${seed}: ${what}`));
  }
  expect(wrong).toEqual([]);
  // Whatever is to be borne has been met.
  expect(Object.entries(tally).filter(([, times]) => times < (TO - FROM) / 20)).toEqual([]);
}, 3_600_000);

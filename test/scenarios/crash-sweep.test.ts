import { describe, expect, test } from 'vitest';
import { complaints, play } from '../support/play-scenario.ts';
import { sweepScenario } from '../support/sweep-scenario.ts';
import { SCENARIOS } from '../support/sweep-scenarios.ts';

const MODES = [
  'crash_before',
  'crash_after',
  'lost',
  'refused',
  'duplicate',
  'duplicate_crash',
  'takeover',
] as const;

describe.each(SCENARIOS.map((scenario) => [scenario.title, scenario] as const))('%s', (_, scenario) => {
  test('ends as it should when nothing goes wrong', async () => {
    expect(complaints(scenario, await play(scenario))).toEqual([]);
  });

  test.each(MODES)('survives %s at every single operation', async (mode) => {
    const { failures, struck } = await sweepScenario(scenario, mode);
    expect(failures).toEqual([]);
    expect(struck).toBeGreaterThan(10);
  });
});

import { describe, expect, test } from 'vitest';
import type { FaultMode } from '../support/fault-stage.ts';
import { complaints, play } from '../support/play-scenario.ts';
import { SCENARIOS, sendsTooLate } from '../support/sweep-scenarios.ts';

const MODES: readonly FaultMode[] = [
  'crash_before',
  'crash_after',
  'lost',
  'refused',
  'duplicate',
  'duplicate_crash',
  'takeover',
];

describe.each(SCENARIOS.map((scenario) => [scenario.title, scenario] as const))('%s', (_, scenario) => {
  test('ends as it should when nothing goes wrong', async () => {
    expect(complaints(scenario, await play(scenario))).toEqual([]);
  });

  test.each(MODES)('survives %s at every single operation', async (mode) => {
    const { stage } = await play(scenario);
    const failures: string[] = [];
    let struck = 0;
    for (const [index, label] of stage.operations.entries()) {
      if (sendsTooLate(mode, label)) continue;
      const at = index + 1;
      try {
        const played = await play(scenario, { fault: { at, mode } });
        if (played.stage.fired()) struck++;
        failures.push(...complaints(scenario, played).map((what) => `${mode} at ${at} (${label}): ${what}`));
      } catch (error) {
        failures.push(`${mode} at ${at} (${label}): ${error}`);
      }
    }
    expect(failures).toEqual([]);
    expect(struck).toBeGreaterThan(10);
  });
});

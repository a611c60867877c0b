import { describe, expect, test } from 'vitest';
import type { FaultMode } from '../support/fault-stage.ts';
import { complaints, play } from '../support/play-scenario.ts';
import { oneProcess } from '../support/stage-world.ts';
import { sweepScenario } from '../support/sweep-scenario.ts';
import { SCENARIOS } from '../support/sweep-scenarios.ts';
import { CANCELS, WAITS } from '../support/wait-scenarios.ts';

/** Where many workers share a queue, as on AWS. */
const MODES: readonly FaultMode[] = [
  'crash_before',
  'crash_after',
  'lost',
  'refused',
  'duplicate',
  'duplicate_crash',
  'takeover',
];
/** Where one process holds everything, as in the embedded world: a crash takes its queue and its timers along. */
const EMBEDDED: readonly FaultMode[] = ['crash_before', 'crash_after', 'lost', 'refused'];

const ALL = [...SCENARIOS, ...WAITS, ...CANCELS];

describe.each(ALL.map((scenario) => [scenario.title, scenario] as const))('%s', (_, scenario) => {
  const modes = scenario.interject ? [...MODES, 'interject' as const] : MODES;

  test('ends as it should when nothing goes wrong', async () => {
    expect(complaints(scenario, await play(scenario))).toEqual([]);
  });

  test.each(modes)('survives %s at every single operation', async (mode) => {
    const { failures, struck } = await sweepScenario(scenario, mode);
    expect(failures).toEqual([]);
    expect(struck).toBeGreaterThan(10);
  });

  test.each(EMBEDDED)('survives %s at every single operation of one process', async (mode) => {
    const { failures, struck } = await sweepScenario(scenario, mode, { place: oneProcess });
    expect(failures).toEqual([]);
    expect(struck).toBeGreaterThan(10);
  });
});

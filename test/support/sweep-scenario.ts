import type { FaultMode, Library } from './fault-stage.ts';
import { complaints, play } from './play-scenario.ts';
import type { Scenario } from './scenario.ts';
import type { StageWorld } from './stage-world.ts';

/** What goes wrong, in words, when one kind of fault strikes at every single operation of a scenario, one at a time. */
export async function sweepScenario(
  scenario: Scenario,
  mode: FaultMode,
  options: { library?: Library; place?: () => StageWorld; remembers?: boolean } = {},
): Promise<{ failures: string[]; struck: number }> {
  const whole = await play(scenario, options);
  const failures: string[] = [];
  let struck = 0;
  for (const [index, label] of whole.stage.operations.entries()) {
    if (sendsTooLate(mode, label)) continue;
    const at = index + 1;
    try {
      const played = await play(scenario, { fault: { at, mode }, ...options });
      if (played.stage.fired()) struck++;
      const wrong = complaints(scenario, played);
      // A response that was lost is not a write that was lost: nothing in the log may tell of it.
      const unseen = mode === 'lost' && label === 'log.append';
      if (unseen && story(played.events) !== story(whole.events))
        wrong.push(`the log differs: ${story(played.events)}`);
      failures.push(...wrong.map((what) => `${mode} at ${at} (${label}): ${what}`));
    } catch (error) {
      failures.push(`${mode} at ${at} (${label}): ${error}`);
    }
  }
  return { failures, struck };
}

function story(events: readonly { type: string }[]): string {
  return events.map((event) => event.type).join(' ');
}

/**
 * A worker is killed at its timeout, long before others take its call over: it cannot send that late. Where it could,
 * `keyed` and `read` bear it.
 */
function sendsTooLate(mode: FaultMode, label: string): boolean {
  return mode === 'takeover' && /^(model|downstream\.(lookup|once))$/.test(label);
}

import { isStepfoldError } from '../../lib/core/errors.ts';
import type { Event } from '../../lib/core/events.ts';
import type { Verdict } from '../../lib/core/verify.ts';
import { decide } from '../../lib/runtime/decide.ts';
import { describeRun } from '../../lib/runtime/describe-run.ts';
import { readEvents } from '../../lib/runtime/read-events.ts';
import { createRunMemory } from '../../lib/runtime/run-memory.ts';
import type { RunView } from '../../lib/runtime/run-view.ts';
import { startRun } from '../../lib/runtime/start-run.ts';
import { takeStep } from '../../lib/runtime/take-step.ts';
import { verifyRun } from '../../lib/runtime/verify-run.ts';
import { type FakeDownstream, fakeDownstream } from './fake-downstream.ts';
import { createStage, type Fault, type Library, type Stage } from './fault-stage.ts';
import type { Scenario } from './scenario.ts';
import { agentsFor } from './scenario-agents.ts';
import type { StageWorld } from './stage-world.ts';

/** How a scenario came out. */
export interface Played {
  readonly stage: Stage;
  readonly downstream: FakeDownstream;
  readonly view: RunView;
  readonly events: readonly Event[];
  readonly verdict: Verdict;
  /** Model calls that were sent although their answer was in the log already. */
  readonly resent: number;
}

const SHIPPED: Library = { takeStep };
const SECOND = 1_000;

/** Plays a scenario to its end, with a fault or without. Throws when the run does not come to rest, or not to an end. */
export async function play(
  scenario: Scenario,
  options: { fault?: Fault; library?: Library; place?: () => StageWorld; remembers?: boolean } = {},
): Promise<Played> {
  const { fault, library = SHIPPED, place, remembers } = options;
  const run = { tenant: 't', runId: '' };
  let resent = 0;
  const interject = async () => {
    try {
      await scenario.interject?.(stage.rt, run);
    } catch (error) {
      // Who comes when the run has ended, or was not there yet, is told so.
      if (!isStepfoldError(error, 'run_ended') && !isStepfoldError(error, 'unknown_run')) throw error;
    }
  };
  let downstream: FakeDownstream | undefined;
  const stage = createStage(
    (parts) => {
      const made = fakeDownstream(parts);
      downstream = made;
      return agentsFor(scenario, parts, made, (answers) => {
        if (answers < answered(events)) resent++;
      });
    },
    {
      fault,
      library,
      memory: remembers ? createRunMemory() : undefined,
      interject: () => interject(),
      ...(place && { place }),
      ...(scenario.spillAt !== undefined && { spillAt: scenario.spillAt }),
    },
  );
  let events: Event[] = [];
  const made = downstream as unknown as FakeDownstream;
  const below = { ...stage.rt, world: stage.world };
  // The log as it is on disk, so that the model's fake can tell which calls were answered already.
  const { append } = stage.world.log;
  stage.world.log.append = async (key, commit) => {
    const done = await append(key, commit);
    if (done === 'appended' && key.runId === run.runId) events = [...events, ...(commit.events as Event[])];
    return done;
  };
  run.runId = (
    await stage.outside(() => startRun(stage.rt, { tenant: 't', agent: 'agent', input: 'go', key: 'k' }))
  ).runId;
  const { early } = scenario;
  if (early) await stage.outside(() => early(stage.rt, run));
  for (let rounds = 0; ; rounds++) {
    await stage.drive(scenario.within);
    const view = await describeRun(below, run);
    if (view.endedAt !== undefined || view.interrupts.length === 0) break;
    if (rounds > 20) throw new Error('the run is interrupted for ever');
    const answers = view.interrupts.map((each) => [each, scenario.person?.(each, made)] as const);
    const [interrupt, answer] = answers.find((each) => each[1]) ?? [];
    if (!interrupt || !answer)
      throw new Error(`nobody answers ${view.interrupts.map((each) => each.reason)}`);
    if (interrupt.retryAfter) stage.world.advanceTo(Date.parse(interrupt.retryAfter) + SECOND);
    await stage.outside(() =>
      typeof answer === 'function'
        ? answer(stage.rt, run)
        : decide(stage.rt, run, interrupt.interruptId, { ...answer, by: 'ann' }),
    );
  }
  return {
    stage,
    downstream: made,
    view: await describeRun(below, run),
    events: await readEvents(below, run, { after: -1, limit: 10_000 }),
    verdict: await verifyRun(below, run, made.applied()),
    resent,
  };
}

function answered(events: readonly Event[]): number {
  return events.filter((event) => event.type === 'model_responded').length;
}

/** What is wrong with how a scenario came out, in words; nothing where all is well. */
export function complaints(scenario: Scenario, played: Played): string[] {
  const { view, verdict, downstream, stage, resent } = played;
  const found: string[] = [];
  const { ends = ['completed'], output = 'done' } = scenario;
  if (!ends.includes(view.status))
    found.push(`the run is ${view.status} ${JSON.stringify(view.error ?? view.stalled ?? view.interrupts)}`);
  const said = JSON.stringify(view.output);
  if (view.status === 'completed' && said !== JSON.stringify(output)) found.push(`its output is ${said}`);
  found.push(...verdict.violations.map(({ guarantee, message }) => `guarantee ${guarantee}: ${message}`));
  if (resent > 0) found.push(`${resent} finished model calls were sent again`);
  for (const [tool, wanted] of Object.entries(scenario.effects)) {
    const [least, most] = typeof wanted === 'number' ? [wanted, wanted] : wanted;
    const keys = new Set(downstream.received.filter((each) => each.tool === tool).map((each) => each.key));
    const times = [...keys].reduce((sum, key) => sum + (downstream.applied().get(key) ?? 0), 0);
    if (times < least || times > most) found.push(`${tool} was applied ${times} times, expected ${wanted}`);
  }
  const open = stage.world.pending();
  if (open.length > 0) found.push(`${open.length} messages are left`);
  return found;
}

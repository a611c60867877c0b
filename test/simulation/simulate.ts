import { isStepfoldError } from '../../lib/core/errors.ts';
import { createMemoryWorld } from '../../lib/memory/memory-world.ts';
import { describeRun } from '../../lib/runtime/describe-run.ts';
import { createRunMemory } from '../../lib/runtime/run-memory.ts';
import type { Runtime } from '../../lib/runtime/runtime.ts';
import { startRun } from '../../lib/runtime/start-run.ts';
import { takeStep } from '../../lib/runtime/take-step.ts';
import { runtimeOver } from '../support/drive.ts';
import { fakeDownstream } from '../support/fake-downstream.ts';
import { interleave, type Process } from '../support/interleave.ts';
import { chanceOf } from './chance.ts';
import { judge } from './judge.ts';
import { answers, type Deed, farewells, type Outside, type Promised, surprises } from './outside.ts';
import { randomAgents } from './random-agents.ts';

const HOUR = 3_600_000;
const WORKERS = 3;
const NOBODY: Process = { name: 'nobody', waiting: [] };

/** How often something happened, over all runs of a simulation. */
export type Tally = Record<
  'crash' | 'zombie' | 'duplicate' | 'skew' | 'memory' | 'deed' | 'refusal' | 'cancelled' | 'completed',
  number
>;

/**
 * One run of a random agent, taken by three workers at once that die, are sent the same message twice and whose clocks
 * differ, while people and systems do what comes to their minds. Then all faults heal and everybody answers; gives what is
 * wrong with how it came out, in words.
 */
export async function simulate(seed: number, tally: Tally): Promise<string[]> {
  const chance = chanceOf(seed);
  const world = createMemoryWorld({ seed });
  const scheduler = interleave(world);
  const downstream = fakeDownstream({ operation: scheduler.operation, world });
  const agents = randomAgents(chance, downstream);
  const spill = chance.happens(0.3) ? { spillAt: 20 } : {};
  const memory = chance.happens(0.5) ? createRunMemory() : undefined;
  const plain = runtimeOver(world, agents, spill);
  const rt = runtimeOver(scheduler.world, agents, { ...spill, memory });
  const skews = chance.pick([[0], [0, 15_000], [-15_000, 15_000], [0, -30_000]]);
  const { runId } = await startRun(plain, { tenant: 't', agent: 'agent', input: 'go', key: 'k' });
  const run = { tenant: 't', runId };
  const outside: Outside = { rt, run, world, downstream, chance };
  const cancels = chance.happens(0.3);
  const promises: Promised[] = [];
  const failures: string[] = [];
  const dead = new Set<Process>();
  /** Until when a worker is held up, in ms since the epoch. */
  const held = new Map<Process, number>();
  let alive: Process[] = [];
  let troubles = chance.happens(0.7) ? 1 + chance.int(10) : 0;
  let deeds = 8 + chance.int(16);
  if (memory) tally.memory++;

  function work(again = false) {
    const message = world.receive();
    if (!message) return;
    const { receipt, ...plainMessage } = message;
    const own = withClock(rt, chance.pick(skews));
    alive.push(
      scheduler.spawn('worker', async () => {
        await takeStep(own, plainMessage);
        world.acknowledge(receipt);
      }),
    );
    if (!again) return;
    tally.duplicate++;
    const other = withClock(rt, chance.pick(skews));
    alive.push(scheduler.spawn('worker', () => takeStep(other, { ...plainMessage, receives: 2 })));
  }

  function withClock(of: Runtime, skew: number): Runtime {
    if (skew === 0) return of;
    tally.skew++;
    const clock = { now: () => world.clock.now() + skew };
    const seen = new Proxy(of.world, {
      get: (target, key) => (key === 'clock' ? clock : (Reflect.get(target, key) as unknown)),
    });
    return { ...of, world: seen };
  }

  function act(possible: readonly Deed[]) {
    if (possible.length === 0) return;
    tally.deed++;
    const deed = chance.pick(possible);
    alive.push(
      scheduler.spawn('outside', async () => {
        try {
          const promised = await deed();
          if (promised) promises.push(promised);
        } catch (error) {
          if (!isStepfoldError(error)) throw error;
          tally.refusal++;
        }
      }),
    );
  }

  function isFree(process: Process): boolean {
    return !process.outcome && !dead.has(process) && (held.get(process) ?? 0) <= world.clock.now();
  }

  /** Lets somebody do one operation, or die before it; false when nobody is at work. */
  async function move(): Promise<boolean> {
    for (const { outcome } of alive) if (outcome && 'error' in outcome) failures.push(String(outcome.error));
    alive = alive.filter((each) => !each.outcome && !dead.has(each));
    const free = alive.filter(isFree);
    if (free.length === 0) return false;
    await scheduler.move((ready) => {
      const able = ready.filter((each) => free.includes(each));
      if (able.length === 0) return NOBODY;
      const next = chance.pick(able);
      return troubles > 0 && next.name === 'worker' && chance.happens(0.05) ? trouble(next) : next;
    });
    return true;
  }

  /** A worker dies, or is held up until others have taken over. It does not send that late: it would be killed before. */
  function trouble(worker: Process): Process {
    troubles--;
    if (chance.happens(0.5) || worker.waiting[0]?.label.startsWith('downstream')) {
      tally.crash++;
      dead.add(worker);
    } else {
      tally.zombie++;
      held.set(worker, world.clock.now() + 30_000 * (1 + chance.int(20)));
    }
    return NOBODY;
  }

  /** Until nothing falls due within an hour. */
  async function settle(chaos: boolean): Promise<void> {
    for (let moves = 0; moves < 6_000; moves++) {
      const atWork = alive.filter((each) => each.name === 'worker' && isFree(each));
      if (atWork.length < WORKERS) work(chaos && chance.happens(0.1));
      if (chaos && deeds > 0 && chance.happens(0.06)) await surprise();
      if (await move()) continue;
      const released = alive.flatMap((each) => (isFree(each) ? [] : (held.get(each) ?? [])));
      const next = Math.min(world.nextAt() ?? Number.POSITIVE_INFINITY, ...released);
      if (next <= world.clock.now() + HOUR) world.advanceTo(next);
      else if (chaos && deeds > 0) await surprise();
      else return;
    }
    failures.push('it does not come to rest');
  }

  async function surprise() {
    deeds--;
    if ((await describeRun(plain, run)).endedAt !== undefined) return;
    act([...(await answers(outside)), ...surprises(outside, { cancels })]);
  }

  await settle(true);
  troubles = 0;
  for (let rounds = 0; rounds < 40 && failures.length === 0; rounds++) {
    await settle(false);
    const view = await describeRun(plain, run);
    if (view.endedAt !== undefined) {
      if (view.status === 'cancelled' || view.status === 'completed') tally[view.status]++;
      break;
    }
    world.advanceTo(world.clock.now() + HOUR);
    act([...(await answers(outside)), ...(await farewells(outside))]);
  }
  return [...failures, ...(await judge(plain, run, { downstream, promises }))];
}

import { type Agent, defineAgent } from '../../lib/agent.ts';
import { isStepfoldError } from '../../lib/core/errors.ts';
import { createMemoryWorld, type MemoryWorld } from '../../lib/memory/memory-world.ts';
import type { RunKey } from '../../lib/ports/run-key.ts';
import type { Message } from '../../lib/ports/wakes.ts';
import { decide } from '../../lib/runtime/decide.ts';
import { describeRun } from '../../lib/runtime/describe-run.ts';
import { readEvents } from '../../lib/runtime/read-events.ts';
import { createRunMemory } from '../../lib/runtime/run-memory.ts';
import type { InterruptView } from '../../lib/runtime/run-view.ts';
import type { Runtime } from '../../lib/runtime/runtime.ts';
import { startRun } from '../../lib/runtime/start-run.ts';
import { takeStep } from '../../lib/runtime/take-step.ts';
import { cancelRun, sendMessage, sendSignal } from '../../lib/runtime/tell-run.ts';
import { type ScriptItem, scriptedModel } from '../../lib/testing/index.ts';
import { agentTool } from '../../lib/tools/agent-tool.ts';
import { awaitSignal } from '../../lib/tools/await-signal.ts';
import { sleepUntil } from '../../lib/tools/sleep-until.ts';
import { runtimeOver } from './drive.ts';
import { type FakeDownstream, fakeDownstream } from './fake-downstream.ts';
import { type Happening, isWorker, type Place } from './happenings.ts';
import { byChance, inTurns, interleave, type Process } from './interleave.ts';
import { checkPromises, checkRun } from './race-checks.ts';
import { toolOf } from './scenario-tools.ts';

/** Who moves when. */
export type Order =
  /** One for some operations, then the other for some, then the rest of both; undefined is to the end. Workers come after. */
  | { readonly first: 0 | 1; readonly alone?: number; readonly other?: number; readonly seed: number }
  /** Both, and the workers that they wake, by chance. */
  | { readonly seed: number };

const MINUTE = 60_000;
/** These have no part in the run's calls: at its end they meet the worker that takes its only model call. */
const FROM_OUTSIDE: ReadonlySet<Happening> = new Set(['cancel', 'message', 'signal', 'claim']);

/** Two things that happen at the same instant, in one interleaving of their operations; gives what is wrong, in words. */
export async function race(
  pair: readonly [Happening, Happening],
  place: Place,
  order: Order,
): Promise<{ complaints: string[]; operations: [number, number] }> {
  const stage = await setUp(pair, place, order.seed);
  const processes = pair.map((kind, side) => stage.spawn(kind, side)) as [Process, Process];
  const operations: [number, number] = [0, 0];
  if ('first' in order) {
    const first = processes[order.first];
    const other = processes[1 - order.first] as Process;
    const choose = inTurns([
      { process: first, operations: order.alone ?? Number.POSITIVE_INFINITY },
      { process: other, operations: order.other ?? Number.POSITIVE_INFINITY },
      { process: first, operations: Number.POSITIVE_INFINITY },
      { process: other, operations: Number.POSITIVE_INFINITY },
    ]);
    const counting = (ready: readonly Process[]) => {
      const chosen = choose(ready);
      operations[chosen === processes[0] ? 0 : 1]++;
      return chosen;
    };
    while (await stage.scheduler.move(counting));
  }
  await stage.heal(order.seed);
  return { complaints: await stage.complaints(pair, processes), operations };
}

async function setUp(pair: readonly [Happening, Happening], place: Place, seed: number) {
  const world = createMemoryWorld();
  const scheduler = interleave(world);
  const downstream = fakeDownstream({ operation: scheduler.operation, world });
  const agents = agentsOf(pair, place, downstream);
  const plain = runtimeOver(world, agents);
  // Workers of one process share what they remember of runs; workers on their own remember nothing.
  const memory = seed % 2 === 0 ? undefined : createRunMemory();
  const rt = runtimeOver(scheduler.world, agents, { memory });
  const { runId } = await startRun(plain, { tenant: 't', agent: 'agent', input: 'go', key: 'k' });
  const run = { tenant: 't', runId };
  const held = await reach(plain, run, callsOf(pair, place).length > 0);
  if (pair.some((kind) => kind === 'expiry' || kind === 'timer')) world.advanceTo(world.clock.now() + MINUTE);
  const view = await describeRun(plain, run);
  const gate = view.interrupts.find((each) => each.reason === 'awaiting_approval');
  const due = receiveAll(world);
  const message = (kind: Happening): Held => {
    const found =
      kind === 'expiry'
        ? due.find((each) => each.lane === 'settle')
        : kind === 'timer'
          ? due.find((each) => each.lane === 'fast' && each.wake.interruptId !== undefined)
          : held.find((each) => (each.wake.runId !== runId) === (kind === "child's end"));
    if (!found) throw new Error(`nothing wakes the ${kind}`);
    return found;
  };
  const used = new Set(pair.filter((kind) => isWorker(kind)).map(message));
  for (const each of [...held, ...due]) if (!used.has(each)) world.release(each.receipt);

  return {
    scheduler,
    spawn(kind: Happening, side: number): Process {
      if (isWorker(kind)) {
        const { receipt, ...rest } = message(kind);
        return scheduler.spawn(kind, async () => {
          await takeStep(rt, { ...rest, receives: 1 + side });
          if (side === 0 || pair[0] !== pair[1]) world.acknowledge(receipt);
        });
      }
      const by = side === 0 ? 'ann' : 'bob';
      const calls: Partial<Record<Happening, () => Promise<unknown>>> = {
        decision: () =>
          decide(rt, run, gate?.interruptId ?? '', { decision: side === 0 ? 'approve' : 'deny', by }),
        cancel: () => cancelRun(rt, run, { by }),
        message: () => sendMessage(rt, run, { content: 'and this', messageId: 'm1' }),
        signal: () => sendSignal(rt, run, { name: 'paid', payload: 1, signalId: 's1' }),
      };
      return scheduler.spawn(kind, calls[kind] as () => Promise<unknown>);
    },
    /** Two workers at once for all that is left, people who answer what is open, until the run is over. */
    async heal(seed: number) {
      const choose = byChance(seed);
      for (let rounds = 0; rounds < 20; rounds++) {
        await deliverAll({ world, rt, scheduler, choose });
        const { endedAt, interrupts } = await describeRun(plain, run);
        if (endedAt !== undefined) return;
        for (const interrupt of interrupts) await answer(plain, run, interrupt);
      }
    },
    complaints: async (kinds: readonly Happening[], processes: readonly Process[]) => [
      ...(await checkRun(plain, run, { place, downstream })),
      ...(await checkPromises(plain, run, { kinds, processes, gate })),
    ],
  };
}

function callsOf(pair: readonly Happening[], place: Place): { name: string; args: unknown }[] {
  const has = (...kinds: Happening[]) => kinds.some((kind) => pair.includes(kind));
  if (place === 'at the end of a run' && pair.every((kind) => FROM_OUTSIDE.has(kind))) return [];
  return [
    ...(has('decision', 'expiry') ? [{ name: 'gated', args: {} }] : []),
    ...(has('timer') ? [{ name: 'sleepUntil', args: { for: '60s' } }] : []),
    ...(has('signal') ? [{ name: 'awaitSignal', args: { name: 'paid' } }] : []),
    ...(has('claim') ? [{ name: 'work', args: {} }] : []),
    ...(has("child's end") ? [{ name: 'child', args: { input: 1 } }] : []),
    ...(place === 'in the middle of a run' ? [{ name: 'awaitSignal', args: { name: 'anchor' } }] : []),
  ];
}

function agentsOf(pair: readonly Happening[], place: Place, downstream: FakeDownstream): Agent[] {
  const calls = callsOf(pair, place);
  const script: ScriptItem[] = [
    ...(calls.length > 0 ? [{ toolCalls: calls }] : []),
    ...Array.from({ length: 6 }, () => 'done'),
  ];
  const child = defineAgent({
    name: 'child',
    revision: '1',
    instructions: 'Be a child.',
    model: scriptedModel(['grown']),
  });
  const expiresIn = pair.includes('expiry') ? { expiresIn: '60s' } : {};
  const agent = defineAgent({
    name: 'agent',
    revision: '1',
    instructions: 'Act.',
    model: scriptedModel(script),
    tools: [
      toolOf('keyed', downstream, { name: 'gated', gated: true, ...expiresIn }),
      toolOf('keyed', downstream, { name: 'work' }),
      sleepUntil,
      awaitSignal,
      agentTool(child),
    ],
  });
  return [agent, child];
}

type Held = Message & { receipt: string };

function receiveAll(world: MemoryWorld): Held[] {
  const all: Held[] = [];
  for (let message = world.receive(); message; message = world.receive()) all.push(message);
  return all;
}

/** Brings the run to where its calls are open, and holds back what would take the free call, the child, or its start. */
async function reach(rt: Runtime, run: RunKey, started: boolean): Promise<Held[]> {
  const world = rt.world as MemoryWorld;
  const held: Held[] = [];
  for (let message = world.receive(); message; message = world.receive()) {
    const state = await describeRun(rt, run);
    const isChild = message.wake.runId !== run.runId;
    const isFree =
      message.wake.action !== undefined && (await nameOf(rt, run, message.wake.action)) === 'work';
    if (isChild || isFree || (!started && state.seq < 0)) {
      held.push(message);
      continue;
    }
    const { receipt, ...plain } = message;
    await takeStep(rt, plain);
    world.acknowledge(receipt);
  }
  return held;
}

async function nameOf(rt: Runtime, run: RunKey, callId: string): Promise<string | undefined> {
  const events = await readEvents(rt, run, { after: -1, limit: 1_000 });
  const [step, index] = callId.split('.').map(Number);
  for (const event of events)
    if (event.type === 'model_responded' && event.step === step) return event.calls[index ?? 0]?.name;
  return undefined;
}

/** Delivers what falls due within ten minutes, to two workers at once. */
async function deliverAll({
  world,
  rt,
  scheduler,
  choose,
}: {
  world: MemoryWorld;
  rt: Runtime;
  scheduler: ReturnType<typeof interleave>;
  choose: Parameters<ReturnType<typeof interleave>['move']>[0];
}): Promise<void> {
  const work = async (message: Held) => {
    const { receipt, ...plain } = message;
    await takeStep(rt, plain);
    world.acknowledge(receipt);
  };
  const workers: Process[] = [];
  for (let moves = 0; moves < 20_000; moves++) {
    while (workers.filter((each) => !each.outcome).length < 2) {
      const message = world.receive();
      if (!message) break;
      workers.push(scheduler.spawn('worker', () => work(message)));
    }
    if (scheduler.busy() > 0) {
      await scheduler.move(choose);
      continue;
    }
    for (const { outcome } of workers.splice(0)) if (outcome && 'error' in outcome) throw outcome.error;
    const next = world.nextAt();
    if (next === undefined || next > world.clock.now() + 10 * MINUTE) return;
    world.advanceTo(next);
  }
  throw new Error('the run does not come to rest');
}

async function answer(rt: Runtime, run: RunKey, interrupt: InterruptView): Promise<void> {
  try {
    if (interrupt.reason === 'awaiting_approval')
      await decide(rt, run, interrupt.interruptId, { decision: 'approve', by: 'carol' });
    if (interrupt.reason === 'awaiting_signal')
      await sendSignal(rt, run, { name: interrupt.name ?? '', payload: 2 });
  } catch (error) {
    if (!isStepfoldError(error)) throw error;
  }
}

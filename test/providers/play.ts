import { type AgentOptions, defineAgent } from '../../lib/agent.ts';
import type { Event, EventOf, EventType } from '../../lib/core/events.ts';
import type { Json } from '../../lib/core/json.ts';
import { createMemoryWorld, type MemoryWorld } from '../../lib/memory/memory-world.ts';
import { describeRun } from '../../lib/runtime/describe-run.ts';
import { readEvents } from '../../lib/runtime/read-events.ts';
import { resumeRun } from '../../lib/runtime/resume-run.ts';
import type { Report, Runtime } from '../../lib/runtime/runtime.ts';
import { startRun } from '../../lib/runtime/start-run.ts';
import { takeStep } from '../../lib/runtime/take-step.ts';
import { verifyRun } from '../../lib/runtime/verify-run.ts';
import { runtimeOver } from '../support/drive.ts';
import { fakeService, type Received, type Reply } from './fake-service.ts';
import type { Service } from './service.ts';

interface PlayOptions extends Partial<AgentOptions> {
  readonly script: readonly Reply[];
  readonly input?: Json;
  readonly spillAt?: number;
  readonly invocationMs?: InvocationMs;
}

/** How long an invocation has, in ms of real time, by what the service has received so far. @default a minute */
export type InvocationMs = (received: readonly Received[]) => number;

/** A run of one agent whose model is a real provider, before a service that answers by a script. */
export async function play(service: Service, options: PlayOptions) {
  const { script, input = 'go', spillAt, invocationMs = () => 60_000, ...agentOptions } = options;
  const { url, received } = await fakeService(script);
  const world = createMemoryWorld();
  const reports: Report[] = [];
  /** A process that has just begun: it knows nothing but what the world holds. */
  const freshProcess = () =>
    runtimeOver(
      world,
      [
        defineAgent({
          name: 'agent',
          revision: '1',
          instructions: 'Act.',
          model: service.model(url),
          ...agentOptions,
        }),
      ],
      { reports, ...(spillAt !== undefined && { spillAt }) },
    );
  const rt = freshProcess();
  const run = { tenant: 't', runId: (await startRun(rt, { tenant: 't', agent: 'agent', input })).runId };
  const events = () => readEvents(rt, run, { after: -1, limit: 10_000 });
  return {
    world,
    rt,
    run,
    reports,
    received,
    /** The bodies of the requests, parsed. */
    sent: () => received.map(({ body }) => JSON.parse(body) as Record<string, unknown>),
    freshProcess,
    /** Delivers messages, each to the process that is given, and moves the clock, until nothing falls due within a day. */
    drive: (processOf: () => Runtime = () => rt) =>
      driveWithin(world, processOf, () => invocationMs(received)),
    /** Kills the worker that sends the n-th request, which is one that hangs: nothing is heard of it any more. */
    async killInCall(nth: number) {
      while (received.length < nth) {
        const { receipt, ...plain } = nextMessage(world);
        const work = takeStep(freshProcess(), plain).then(() => world.acknowledge(receipt));
        work.catch(() => undefined);
        await Promise.race([work, until(() => received.length === nth)]);
      }
    },
    view: () => describeRun(rt, run),
    events,
    eventsOf: async <T extends EventType>(type: T) =>
      (await events()).filter((event): event is Event & EventOf<T> => event.type === type),
    resume: () => resumeRun(rt, run, { mode: 'verbatim', by: 'ann' }),
    verify: async () => (await verifyRun(rt, run)).violations,
  };
}

const DELIVERIES = 200;

async function driveWithin(
  world: MemoryWorld,
  processOf: () => Runtime,
  invocationMs: () => number,
): Promise<void> {
  for (let taken = 0; taken < DELIVERIES; taken++) {
    const message = world.receive();
    if (message) {
      const { receipt, ...plain } = message;
      await takeStep(processOf(), plain, { endsAt: world.clock.now() + invocationMs() });
      world.acknowledge(receipt);
      continue;
    }
    const next = world.nextAt();
    if (next === undefined || next > world.clock.now() + 86_400_000) return;
    world.advanceTo(next);
  }
  throw new Error(`the run did not come to rest within ${DELIVERIES} deliveries`);
}

function nextMessage(world: MemoryWorld) {
  for (;;) {
    const message = world.receive();
    if (message) return message;
    const next = world.nextAt();
    if (next === undefined) throw new Error('the run is at rest');
    world.advanceTo(next);
  }
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 2));
}

import { AsyncLocalStorage } from 'node:async_hooks';
import { APICallError } from '@ai-sdk/provider';
import type { Agent } from '../../lib/agent.ts';
import { StepfoldError } from '../../lib/core/errors.ts';
import type { MemoryWorld } from '../../lib/memory/memory-world.ts';
import type { Message } from '../../lib/ports/wakes.ts';
import type { RunMemory } from '../../lib/runtime/run-memory.ts';
import type { Runtime } from '../../lib/runtime/runtime.ts';
import { runtimeOver } from './drive.ts';
import { type StageWorld, separateWorkers } from './stage-world.ts';

/** What goes wrong at one operation. */
export type FaultMode =
  /** The worker dies before the operation, or after it. */
  | 'crash_before'
  | 'crash_after'
  /** The operation is applied and its response lost, or not applied; the worker lives. */
  | 'lost'
  | 'refused'
  /** The message is delivered to a second worker, which works to its end; then the first goes on, or dies. */
  | 'duplicate'
  | 'duplicate_crash'
  /** The worker is held up until others have taken over and finished; then it goes on. */
  | 'takeover'
  /** The outside does something just before the operation, which then goes on. */
  | 'interject';

export interface Fault {
  readonly at: number;
  readonly mode: FaultMode;
}

/** The shipped code, or a mutated copy of it. */
export interface Library {
  takeStep(rt: Runtime, message: Message): Promise<void>;
}

/** One invocation: a worker's, or that of an API handler. */
interface Process {
  dead: boolean;
  message?: Message & { receipt: string };
}

class Crash extends Error {
  override readonly name = 'Crash';
}

const PORTS = ['log', 'index', 'inbox', 'decisions', 'blobs', 'wakes', 'timers', 'notifier'] as const;

/** A memory world in which one fault happens at the n-th operation of all, counted over ports, model and downstream. */
export interface Stage {
  readonly world: MemoryWorld;
  readonly rt: Runtime;
  /** What each operation was, in order. */
  readonly operations: string[];
  /** Whether the fault has happened. */
  fired(): boolean;
  /** An operation outside the ports: a request to a model or a downstream. */
  operation<T>(label: string, perform: () => PromiseLike<T> | T): Promise<T>;
  /** Runs an API call as a process of its own, again until it does not die. */
  outside<T>(call: () => Promise<T>): Promise<T>;
  /** Delivers messages and moves the clock until nothing falls due within `within` ms. */
  drive(within?: number): Promise<void>;
}

export function createStage(
  agents: (stage: Pick<Stage, 'operation' | 'world'>) => Agent[],
  options: {
    fault?: Fault | undefined;
    library: Library;
    spillAt?: number;
    /** What the outside does in the mode `interject`. */
    interject?: (() => Promise<unknown>) | undefined;
    /** @default each worker is a process of its own */
    place?: () => StageWorld;
    /** What all workers remember, as if they were one process. @default nothing */
    memory?: RunMemory | undefined;
  },
): Stage {
  const processes = new AsyncLocalStorage<Process>();
  const operations: string[] = [];
  const { fault, library, place = separateWorkers, memory } = options;
  const { world, restart } = place();
  let fired = false;

  async function operation<T>(label: string, perform: () => PromiseLike<T> | T): Promise<T> {
    const self = processes.getStore();
    if (self?.dead) throw new Crash(label);
    operations.push(label);
    if (!self || fired || operations.length !== fault?.at) return perform();
    return strike(self, { label, mode: fault.mode, perform });
  }

  async function strike<T>(
    self: Process,
    { label, mode, perform }: { label: string; mode: FaultMode; perform: () => PromiseLike<T> | T },
  ): Promise<T> {
    fired = true;
    switch (mode) {
      case 'crash_before':
        return die(self, label);
      case 'crash_after':
        await perform();
        return die(self, label);
      case 'lost':
        await perform();
        throw lostResponse(label);
      case 'refused':
        throw notSent(label);
      case 'duplicate':
      case 'duplicate_crash': {
        if (self.message) await processes.exit(() => deliver({ ...self.message, receives: 2 } as never));
        if (mode === 'duplicate_crash') return die(self, label);
        return perform();
      }
      case 'interject':
        await processes.exit(async () => options.interject?.());
        return perform();
      case 'takeover': {
        world.advanceTo(world.clock.now() + 600_000);
        await processes.exit(() => drive());
        return perform();
      }
    }
  }

  function die(self: Process, label: string): never {
    self.dead = true;
    throw new Crash(label);
  }

  async function deliver(message: Message & { receipt: string }): Promise<void> {
    const { receipt, ...plain } = message;
    try {
      await processes.run({ dead: false, message }, () => library.takeStep(rt, plain));
      world.acknowledge(receipt);
    } catch (error) {
      await survive(error, receipt);
    }
  }

  /** A worker that died is replaced; one that heard of an outage gives its message back. */
  async function survive(error: unknown, receipt?: string): Promise<void> {
    if (error instanceof Crash) return restart();
    if ((error as StepfoldError).code !== 'unavailable') throw error;
    if (receipt !== undefined) world.release(receipt);
  }

  async function drive(within = 3_600_000): Promise<void> {
    for (let taken = 0; taken < 2_000; taken++) {
      const message = world.receive();
      if (message) {
        await deliver(message);
        continue;
      }
      const next = world.nextAt();
      if (next === undefined || next > world.clock.now() + within) return;
      world.advanceTo(next);
    }
    throw new Error('the run does not come to rest');
  }

  const watched = new Map<string | symbol, object>(
    PORTS.map((port) => [port, watch(port, () => world[port], operation)]),
  );
  const seen = new Proxy(world, {
    get: (target, key) => watched.get(key) ?? (Reflect.get(target, key) as unknown),
  });
  const spillAt = options.spillAt === undefined ? {} : { spillAt: options.spillAt };
  const rt = runtimeOver(seen, agents({ operation, world }), { ...spillAt, memory });
  return {
    world,
    rt,
    operations,
    fired: () => fired,
    operation,
    drive,
    async outside(call) {
      for (;;) {
        try {
          return await processes.run({ dead: false }, call);
        } catch (error) {
          await survive(error);
        }
      }
    },
  };
}

/** How a client hears that nobody knows whether its request was applied. */
function lostResponse(label: string): Error {
  if (label === 'model') return providerError('the connection was reset');
  if (label.startsWith('downstream'))
    return Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
  return new StepfoldError('unavailable', `${label}: the response was lost`);
}

/** How it hears that its request was not applied. */
function notSent(label: string): Error {
  if (label === 'model') return providerError('the provider is overloaded');
  if (label.startsWith('downstream'))
    return Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  return new StepfoldError('unavailable', `${label}: not applied`);
}

function providerError(message: string): APICallError {
  return new APICallError({ message, url: 'http://provider', requestBodyValues: {}, isRetryable: true });
}

function watch<P extends object>(name: string, port: () => P, operation: Stage['operation']): P {
  return new Proxy({} as P, {
    get(_, key) {
      const method = Reflect.get(port(), key) as unknown;
      if (typeof method !== 'function') return method;
      return (...args: unknown[]) => operation(`${name}.${String(key)}`, () => method.apply(port(), args));
    },
  });
}

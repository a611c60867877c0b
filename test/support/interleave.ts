import { AsyncLocalStorage } from 'node:async_hooks';
import type { MemoryWorld } from '../../lib/memory/memory-world.ts';

/** Ports over which processes meet; what goes out by the others commutes with everything. */
const SHARED = ['log', 'inbox', 'decisions', 'index'] as const;

/** Something at work over the world: a worker, or an API call. */
export interface Process<T = unknown> {
  readonly name: string;
  /** Operations that wait to be let through, the oldest first. */
  readonly waiting: { readonly label: string; readonly go: () => void }[];
  /** What came of it, once it is done. */
  outcome?: { readonly value: T } | { readonly error: unknown };
}

/** Names the process that moves next, among those that wait. */
export type Choose = (ready: readonly Process[]) => Process;

/**
 * Lets several processes work over one world at once, of which one moves at a time: from one operation to just before
 * its next. Who moves is chosen at every operation, so that any interleaving of their operations can be played.
 */
export function interleave(world: MemoryWorld) {
  const current = new AsyncLocalStorage<Process>();
  const processes = new Set<Process>();
  let turns = 0;

  async function operation<T>(label: string, perform: () => PromiseLike<T> | T): Promise<T> {
    const self = current.getStore();
    if (self) await new Promise<void>((go) => self.waiting.push({ label, go }));
    return perform();
  }

  return {
    /** The world as its processes see it. */
    world: gated(world, operation),
    operation,
    /** How many operations were let through. */
    turns: () => turns,
    spawn<T>(name: string, work: () => Promise<T>): Process<T> {
      const process: Process<T> = { name, waiting: [] };
      processes.add(process);
      const finish = (outcome: NonNullable<Process<T>['outcome']>) => {
        process.outcome = outcome;
        processes.delete(process);
      };
      current.run(process, work).then(
        (value) => finish({ value }),
        (error) => finish({ error }),
      );
      return process;
    },
    /** Lets one operation through; false when no process is left. */
    async move(choose: Choose): Promise<boolean> {
      await quiet();
      const ready = [...processes].filter((each) => each.waiting.length > 0);
      if (ready.length === 0) {
        if (processes.size > 0) throw new Error('a process waits for something outside the world');
        return false;
      }
      turns++;
      choose(ready).waiting.shift()?.go();
      await quiet();
      return true;
    },
    busy: () => processes.size,
  };
}

/** Until everybody waits for an operation, or is done. */
function quiet(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function gated(
  world: MemoryWorld,
  operation: <T>(label: string, perform: () => PromiseLike<T> | T) => Promise<T>,
): MemoryWorld {
  const ports = new Map<string | symbol, object>(
    SHARED.map((name) => {
      const port = world[name];
      const methods = Object.entries(port).map(([key, method]) => [
        key,
        (...args: unknown[]) =>
          operation(`${name}.${key}`, () => (method as (...all: unknown[]) => unknown).apply(port, args)),
      ]);
      return [name, Object.fromEntries(methods) as object];
    }),
  );
  return new Proxy(world, {
    get: (target, key) => ports.get(key) ?? (Reflect.get(target, key) as unknown),
  });
}

/** Moves one process for so many operations, then the other for so many, and so on; the last counts are endless. */
export function inTurns(order: readonly { process: Process; operations: number }[]): Choose {
  let [at, left] = [0, order[0]?.operations ?? 0];
  return (ready) => {
    while (at < order.length) {
      const { process } = order[at] as (typeof order)[number];
      if (left-- > 0 && ready.includes(process)) return process;
      left = order[++at]?.operations ?? 0;
    }
    return ready[0] as Process;
  };
}

/** Moves anybody, by the chance of a seed. */
export function byChance(seed: number): Choose {
  let state = seed * 2_654_435_761;
  return (ready) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x297a2d39) | 0;
    return ready[((state ^ (state >>> 13)) >>> 0) % ready.length] as Process;
  };
}

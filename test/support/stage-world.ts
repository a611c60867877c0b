import { createMemoryWorld, type MemoryWorld } from '../../lib/memory/memory-world.ts';
import type { RunKey } from '../../lib/ports/run-key.ts';

const STORED = ['log', 'index', 'inbox', 'decisions', 'blobs', 'notifier', 'notices'] as const;

/** A world whose process can be killed: what is stored stays, what was in the process is gone. */
export interface StageWorld {
  /** Always speaks of the newest process. */
  readonly world: MemoryWorld;
  /** Kills the process and starts another on the same data. Does nothing where each worker is a process of its own. */
  restart(): Promise<void>;
}

/** Each worker is a process of its own, and the queue outlives them all: as on AWS. */
export function separateWorkers(): StageWorld {
  return { world: createMemoryWorld(), restart: async () => {} };
}

/**
 * One process holds the directory's lock, with its queue and its timers in memory: as in the embedded world. After a kill
 * the next process takes the lock and wakes every run that has not ended.
 */
export function oneProcess(): StageWorld {
  const storage = createMemoryWorld();
  let started = 0;
  let machine = start(storage.clock.now());
  function start(now: number): MemoryWorld {
    started++;
    return createMemoryWorld({ seed: 1_000 + started, start: now });
  }
  let lock = { id: 'lock1', since: storage.clock.now() };
  const runs = new Map<string, RunKey>();
  const { append } = storage.inbox;
  storage.inbox.append = (run, entry) => {
    runs.set(run.runId, run);
    return append(run, entry);
  };
  const world = new Proxy({} as MemoryWorld, {
    get(_, key) {
      if (key === 'fence') return { margin: 0, lock };
      return Reflect.get(STORED.includes(key as (typeof STORED)[number]) ? storage : machine, key) as unknown;
    },
    ownKeys: () => Reflect.ownKeys(storage),
    getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
  });
  return {
    world,
    async restart() {
      machine = start(machine.clock.now());
      lock = { id: `lock${started}`, since: machine.clock.now() };
      for (const run of runs.values()) {
        const status = (await storage.index.get(run))?.status;
        if (status === 'completed' || status === 'failed') continue;
        await machine.wakes.send({ ...run, news: true, swept: true }, { lane: 'fast' });
      }
    },
  };
}

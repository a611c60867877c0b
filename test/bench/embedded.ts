import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openLocalWorld } from '../../lib/local/local-world.ts';
import type { Notice } from '../../lib/ports/notifier.ts';
import type { RunKey } from '../../lib/ports/run-key.ts';
import type { Message } from '../../lib/ports/wakes.ts';
import type { World } from '../../lib/ports/world.ts';
import { registryOf } from '../../lib/registry.ts';
import { decide } from '../../lib/runtime/decide.ts';
import { createRunMemory } from '../../lib/runtime/run-memory.ts';
import type { Runtime } from '../../lib/runtime/runtime.ts';
import { startRun } from '../../lib/runtime/start-run.ts';
import { takeStep } from '../../lib/runtime/take-step.ts';
import { type BenchInput, benchAgent } from './bench-agent.ts';

const TENANT = 'local';
/** A person is never faster than the worker that tells of the interrupt and then ends its step. */
const REACTION_MS = 5;

export interface EmbeddedOptions {
  /** Is told when a model call or a tool call arrives where it is executed. */
  on?: Parameters<typeof benchAgent>[0];
  /** Puts something between the runtime and the world. */
  wrap?: (world: World) => World;
  /** Runs each step. */
  around?: (step: () => Promise<void>, message: Message) => Promise<void>;
  /** Whether the process remembers the runs that it works on; where not, each step loads its run as after a restart. @default true */
  remembers?: boolean;
  /** Runs just before an approval is given. */
  beforeApproval?: (runId: string) => Promise<void>;
}

/** The embedded world at work on a data directory of its own, as `stepfold dev` has it, without its server. */
export interface Embedded {
  readonly dir: string;
  /** Plays a run to its end; every approval that it waits for is given. `onStart` is told its id. */
  play(input: BenchInput, onStart?: (runId: string) => void): Promise<RunKey>;
  /** Ends the work; the data stays until the bench is over. */
  close(): Promise<void>;
}

export async function openEmbedded(options: EmbeddedOptions = {}): Promise<Embedded> {
  const {
    on,
    wrap = (world) => world,
    around = (step) => step(),
    beforeApproval,
    remembers = true,
  } = options;
  const dir = await freshDirectory();
  const local = openLocalWorld({ dir });
  const ends = new Map<string, () => void>();
  const { notifier } = local.world;
  const heard: World = {
    ...local.world,
    notifier: {
      async tell(notice) {
        await notifier.tell(notice);
        if (notice.type === 'ended') ends.get(notice.runId)?.();
        else setTimeout(() => void approve(notice), REACTION_MS);
      },
    },
  };
  const report: Runtime['report'] = ({ level, message }) => {
    if (level !== 'info') throw new Error(`the bench expects a run without trouble: ${message}`);
  };
  const rt: Runtime = {
    world: wrap(heard),
    agents: registryOf([benchAgent(on)]),
    report,
    ...(remembers && { memory: createRunMemory() }),
  };

  async function approve({ tenant, runId, interruptId = '' }: Notice): Promise<void> {
    await beforeApproval?.(runId);
    await decide(rt, { tenant, runId }, interruptId, { decision: 'approve', by: 'bench' });
  }

  local.start((message) => around(() => takeStep(rt, message), message));
  return {
    dir,
    async play(input, onStart) {
      const { promise: ended, resolve } = Promise.withResolvers<void>();
      const { runId } = await startRun(rt, { tenant: TENANT, agent: 'bench', input });
      onStart?.(runId);
      ends.set(runId, resolve);
      await ended;
      ends.delete(runId);
      return { tenant: TENANT, runId };
    },
    close: () => local.close(),
  };
}

/** Each process has its own, since several may measure at once. */
const ROOT = join(import.meta.dirname, '..', '..', '.cache', `bench-${process.pid}`);

/** On the project's own disk: a file system in memory has no durable writes. */
export async function freshDirectory(): Promise<string> {
  await mkdir(ROOT, { recursive: true });
  return mkdtemp(join(ROOT, 'data-'));
}

export async function removeDirectories(): Promise<void> {
  await rm(ROOT, { recursive: true, force: true });
}

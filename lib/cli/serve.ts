import type { Agent } from '../agent.ts';
import { hasToken } from '../http/bearer-token.ts';
import { createApp } from '../http/create-app.ts';
import type { Identity } from '../http/identity.ts';
import { assertReachable, listen } from '../http/node-server.ts';
import { type LocalWorld, openLocalWorld } from '../local/local-world.ts';
import { type Registry, registryOf } from '../registry.ts';
import { createRunMemory } from '../runtime/run-memory.ts';
import type { Report, Runtime } from '../runtime/runtime.ts';
import { sweep } from '../runtime/sweep.ts';
import { takeStep } from '../runtime/take-step.ts';
import { DEFAULT_PORT } from './default-address.ts';
import { loadAgents } from './load-agents.ts';

const DEFAULT_DATA_DIR = '.stepfold';
const SWEEP_EVERY_MS = 60_000;
const LOCAL: Identity = { tenant: 'local', by: 'local' };

export interface ServeOptions {
  /** An agents file, or the agents themselves. @default the usual agents file of the working directory */
  agents?: string | readonly Agent[];
  /** 0 takes a free one. @default 4870 */
  port?: number;
  /** @default '.stepfold' */
  dataDir?: string;
  /** Any address that other machines can reach needs a token. @default '127.0.0.1' */
  host?: string;
  /** What callers must show. @default STEPFOLD_TOKEN, where it is set */
  token?: string;
  /** Is given what the service's log should hold. @default nothing is said */
  report?: (report: Report) => void;
  /** Is given a short line for each interrupt and each end. @default nothing is said */
  notify?: (line: string) => void;
}

/** The embedded world at work: its API, its step workers and its sweep. */
export interface Served {
  readonly url: string;
  readonly agents: Registry;
  readonly dataDir: string;
  /** How many runs of earlier processes go on. */
  readonly unfinished: number;
  /**
   * Stops taking requests and steps, and lets the steps in flight end.
   *
   * @throws StepfoldError `close_timed_out` where some do not; they are taken again when the directory is served again.
   */
  close(): Promise<void>;
}

/**
 * Serves agents from one data directory. Whatever is wrong is found before anything is written.
 *
 * @throws StepfoldError what {@link loadAgents}, {@link listen} and {@link openLocalWorld} throw.
 */
export async function serve(options: ServeOptions = {}): Promise<Served> {
  const { port = DEFAULT_PORT, dataDir = DEFAULT_DATA_DIR, host = '127.0.0.1' } = options;
  const { token = process.env.STEPFOLD_TOKEN || undefined, report = () => {}, notify = () => {} } = options;
  assertReachable(host, token);
  const agents =
    typeof options.agents === 'object' ? registryOf(options.agents) : await loadAgents(options.agents);
  const app = Promise.withResolvers<ReturnType<typeof createApp>>();
  const server = await listen({
    host,
    port,
    token,
    fetch: async (request) => (await app.promise).fetch(request),
  });
  let local: LocalWorld | undefined;
  try {
    local = openLocalWorld({ dir: dataDir, notify });
    const runtime: Runtime = { world: local.world, agents, report, memory: createRunMemory() };
    const identify = (request: Request) =>
      token === undefined || hasToken(request, token) ? LOCAL : undefined;
    app.resolve(createApp({ runtime, identify, trustBody: true }));
    const unfinished = await startWorkers(runtime, local);
    const stopSweep = startSweep(runtime);
    const { close } = local;
    return {
      url: server.url,
      agents,
      dataDir,
      unfinished,
      async close() {
        stopSweep();
        await server.close();
        await close();
      },
    };
  } catch (error) {
    app.reject(error);
    app.promise.catch(() => undefined);
    await server.close();
    await local?.close();
    throw error;
  }
}

/**
 * The wakes of an earlier process died with it, one for each call that it cut off: every run that has not ended is looked
 * at as the sweep looks, so that whoever takes one of its calls leaves wakes for all others.
 */
async function startWorkers(runtime: Runtime, local: LocalWorld): Promise<number> {
  const runs = local.unfinished();
  local.start((message) => takeStep(runtime, message));
  for (const run of runs) {
    await runtime.world.wakes.send({ ...run, news: true, swept: true }, { lane: 'fast' });
  }
  return runs.length;
}

/** One turn at once, which arms the timers again, then one every minute; a turn never overlaps the one before. */
function startSweep(runtime: Runtime): () => void {
  let turning = false;
  const turn = async () => {
    if (turning) return;
    turning = true;
    try {
      await sweep(runtime);
    } catch (error) {
      runtime.report({ level: 'error', message: 'the sweep failed', fields: { error: String(error) } });
    } finally {
      turning = false;
    }
  };
  void turn();
  const timer = setInterval(turn, SWEEP_EVERY_MS);
  return () => clearInterval(timer);
}

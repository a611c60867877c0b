import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { StepfoldError } from '../../../../lib/index.ts';

export interface EnsuredDesk {
  readonly url: string;
  readonly pid: number;
  /** The desk's SQLite file. */
  readonly data: string;
  /** Whether it was started by this call. */
  readonly started: boolean;
  /** Ends the desk if this call started it; one that was found is left alone. */
  stop(): void;
}

/**
 * The desk that answers at `url`, or a new one in a process of its own with its file in `directory`.
 *
 * A desk outlives a kill of the process that started it, and is found again at the next start.
 *
 * @throws StepfoldError `desk_unreachable` when something else answers there, or none can be started.
 */
export async function ensureDesk(url: string, directory: string): Promise<EnsuredDesk> {
  const living = await askHealth(url);
  if (living) return { url, ...living, started: false, stop: () => {} };

  const { hostname, port } = new URL(url);
  if (hostname !== '127.0.0.1' && hostname !== 'localhost') {
    throw unreachable(url, 'it is not on this machine, so that none is started for it');
  }
  const log = join(directory, 'desk.log');
  const child = startDesk(port, directory, log);
  const { pid, data } = await untilHealthy(url, child, log);
  return { url, pid, data, started: true, stop: () => child.kill('SIGTERM') };
}

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));

/** Detached and with a file for its output: neither Ctrl-C in this terminal nor the end of this process reaches it. */
function startDesk(port: string, directory: string, log: string) {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const output = openSync(log, 'a');
  const args = [
    '--disable-warning=ExperimentalWarning',
    MAIN,
    '--port',
    port || '80',
    '--data',
    join(directory, 'desk.db'),
  ];
  const child = spawn(process.execPath, args, { stdio: ['ignore', output, output], detached: true });
  child.unref();
  closeSync(output);
  return child;
}

const PATIENCE_MS = 15_000;

async function untilHealthy(url: string, child: ReturnType<typeof startDesk>, log: string) {
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await wait(50)) {
    if (child.exitCode !== null || child.signalCode !== null) break;
    const health = await askHealth(url);
    if (health) return health;
  }
  child.kill('SIGTERM');
  throw unreachable(url, `the one that was started said: ${readFileSync(log, 'utf8').trim().slice(-500)}`);
}

const healthSchema = z.object({ service: z.literal('ticket-desk'), pid: z.int(), data: z.string() });

/** Undefined when nobody listens; an error when somebody else does. */
async function askHealth(url: string) {
  const answer = await fetch(`${url}/health`, { signal: AbortSignal.timeout(5_000) }).catch(
    (error: unknown) => {
      if (isRefused(error)) return undefined;
      throw unreachable(url, String(error), error);
    },
  );
  if (!answer) return undefined;
  const health = healthSchema.safeParse(await answer.json().catch(() => undefined));
  if (!health.success) throw unreachable(url, 'something else answers there');
  return { pid: health.data.pid, data: health.data.data };
}

function isRefused(error: unknown): boolean {
  return error instanceof Error && (error.cause as { code?: unknown } | undefined)?.code === 'ECONNREFUSED';
}

function unreachable(url: string, why: string, cause?: unknown): StepfoldError {
  return new StepfoldError(
    'desk_unreachable',
    `expected the ticket desk at ${url}, but ${why}; set STEPFOLD_DESK_URL to where it is, or to a free port of this machine`,
    { cause },
  );
}

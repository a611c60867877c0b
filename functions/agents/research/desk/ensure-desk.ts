import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { StepfoldError } from '../../../../lib/index.ts';
import { askHealth, deskUnreachable } from './ask-health.ts';

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
 * A desk outlives a kill of the process that started it, and is found again at the next start on the same directory.
 *
 * @throws StepfoldError `desk_unreachable` when something else answers there, or none can be started; `desk_of_another`
 * when the one that answers works on this machine for another directory.
 */
export async function ensureDesk(url: string, directory: string): Promise<EnsuredDesk> {
  const living = await askHealth(url);
  const { hostname, port } = new URL(url);
  const local = hostname === '127.0.0.1' || hostname === 'localhost';
  if (living) {
    if (local) assertOwn(url, living, join(directory, DATA));
    return { url, ...living, started: false, stop: () => {} };
  }
  if (!local) {
    throw deskUnreachable(url, 'it is not on this machine, so that none is started for it');
  }
  const log = join(directory, 'desk.log');
  const child = startDesk(port, directory, log);
  const { pid, data } = await untilHealthy(url, child, log);
  return { url, pid, data, started: true, stop: () => child.kill('SIGTERM') };
}

const DATA = 'desk.db';

/** A desk of another data directory keeps other tickets, and ends with another server. */
function assertOwn(url: string, living: { pid: number; data: string }, data: string): void {
  if (real(living.data) === real(data)) return;
  throw new StepfoldError(
    'desk_of_another',
    `expected the ticket desk at ${url} to keep ${resolve(data)}; the one that answers there, process ${living.pid}, ` +
      `keeps ${living.data}. Stop it, or set STEPFOLD_DESK_URL to a free port of this machine, such as http://127.0.0.1:4881`,
    { details: { url, ...living } },
  );
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
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
    join(directory, DATA),
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
  throw deskUnreachable(
    url,
    `the one that was started said: ${readFileSync(log, 'utf8').trim().slice(-500)}`,
  );
}

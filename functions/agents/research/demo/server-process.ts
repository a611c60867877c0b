import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { assertAlive, end, launch } from './child-processes.ts';
import { until } from './expectation.ts';
import { recordFiles } from './records.ts';
import { serverLives } from './server-lives.ts';

/** Longer than it takes to kill whatever is held, and shorter than a tool may take, in ms. */
export const HELD_MS = 15_000;
/** How long a request of a dead worker may still land at the desk, in ms. */
export const HORIZON_MS = 3_000;
const MODEL_MS = 150;

/** Where a server is held still, so that a kill can be aimed. */
export interface Holds {
  /** How long the model takes to answer, in ms. */
  model?: number;
  /** How long a tool waits between its claim and its request, in ms. */
  send?: number;
}

/** One life of the real server: what `npm start` runs, on a free port. */
export class ServerProcess {
  readonly url: string;
  /** How many runs of earlier lives it took on. */
  readonly unfinished: number;
  readonly #child: ChildProcess;
  readonly #log: string;

  static async start(directory: string, deskUrl: string, holds: Holds = {}): Promise<ServerProcess> {
    const { server: log, model } = recordFiles(directory);
    const child = launch(START, ['--port', '0', '--data', directory, '--json'], {
      log,
      env: {
        STEPFOLD_DESK_URL: deskUrl,
        STEPFOLD_DESK_HORIZON: `${HORIZON_MS}ms`,
        STEPFOLD_DESK_SEND_DELAY: String(holds.send ?? 0),
        STEPFOLD_SCRIPT_DELAY: String(holds.model ?? MODEL_MS),
        STEPFOLD_MODEL_RECORD: model,
      },
    });
    const life = await until('the server says that it is running', () => {
      assertAlive('the server', child, log);
      return serverLives(readFileSync(log, 'utf8')).findLast(({ pid }) => pid === child.pid);
    });
    return new ServerProcess(child, log, life);
  }

  private constructor(child: ChildProcess, log: string, life: { url: string; unfinished: number }) {
    this.#child = child;
    this.#log = log;
    this.url = life.url;
    this.unfinished = life.unfinished;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Kills it with SIGKILL. True when the operating system says that it died of that. */
  async kill(): Promise<boolean> {
    await end(this.#child, 'SIGKILL');
    return this.#child.signalCode === 'SIGKILL';
  }

  /** Stops it as Ctrl-C would. */
  stop(): Promise<void> {
    return end(this.#child, 'SIGTERM');
  }

  assertAlive(): void {
    assertAlive('the server', this.#child, this.#log);
  }
}

const START = fileURLToPath(new URL('../../start.ts', import.meta.url));

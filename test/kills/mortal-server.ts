import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../lib/cli/main.ts', import.meta.url));
const AGENTS = fileURLToPath(new URL('agents.ts', import.meta.url));
/** No single answer may take longer. */
const PATIENCE_MS = 30_000;
/** Between two tries of a request whose connection broke. */
const PAUSE_MS = 20;
const STDERR_KEPT = 4_000;

/** An answer of the API that arrived whole. */
export interface Answered<T> {
  readonly status: number;
  readonly body: T;
}

/** The real server on one data directory, killed and started again, and a client that outlives its deaths. */
export class MortalServer {
  readonly #data: string;
  readonly #env: Record<string, string>;
  readonly #over = new AbortController();
  #child: ChildProcess | undefined;
  /** The address of the process that serves; pending while none does. */
  #serving = pending();
  #serves = false;

  constructor(data: string, env: Record<string, string>) {
    this.#data = data;
    this.#env = env;
  }

  /** Starts a process, and waits until it says that it serves. */
  async start(): Promise<void> {
    this.spawn();
    await this.#serving.promise;
  }

  /** Starts a process without waiting. */
  spawn(): void {
    const flags = ['--agents', AGENTS, '--port', '0', '--data', this.#data, '--json'];
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', MAIN, 'dev', ...flags], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...this.#env },
    });
    this.#child = child;
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-STDERR_KEPT);
    });
    createInterface(child.stdout).once('line', (line) => {
      if (child.killed) return;
      this.#serves = true;
      this.#serving.resolve((JSON.parse(line) as { url: string }).url);
    });
    child.once('close', (code, signal) => {
      if (!child.killed) this.giveUp(new Error(`the server ended by itself (${code ?? signal}): ${said}`));
    });
  }

  /** Kills the present process with SIGKILL, and waits until it is gone. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    if (this.#serves) this.#serving = pending();
    this.#serves = false;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  /** Fails whatever is waited for. */
  giveUp(reason: Error): void {
    this.#over.abort(reason);
    this.#serving.reject(reason);
  }

  /** Asks again, of whichever process lives by then, until an answer has arrived whole. */
  async call<T>(path: string, body?: object, headers: Record<string, string> = {}): Promise<Answered<T>> {
    const { signal } = this.#over;
    for (;;) {
      signal.throwIfAborted();
      const url = await this.#serving.promise;
      try {
        const response = await fetch(url + path, {
          signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]),
          headers: { 'Content-Type': 'application/json', ...headers },
          ...(body && { method: 'POST', body: JSON.stringify(body) }),
        });
        return { status: response.status, body: (await response.json()) as T };
      } catch (error) {
        if ((error as Error).name === 'TimeoutError') throw error;
        await wait(PAUSE_MS);
      }
    }
  }
}

function pending(): PromiseWithResolvers<string> {
  const made = Promise.withResolvers<string>();
  made.promise.catch(() => {});
  return made;
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import type { RecordedRequest } from '../../functions/agents/research/desk/request-record.ts';

const MAIN = fileURLToPath(new URL('../../functions/agents/research/desk/main.ts', import.meta.url));

/** A fresh place for a desk's file, gone after the tests of the file that asked for it. */
export function deskFile(): string {
  const directory = mkdtempSync(join(tmpdir(), 'desk-'));
  directories.push(directory);
  return join(directory, 'desk.db');
}

const directories: string[] = [];

afterAll(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
});

/** A real desk in a process of its own; whoever starts it ends it. */
export class DeskProcess {
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(url: string, child: ChildProcess) {
    this.url = url;
    this.#child = child;
  }

  static async start(file: string, control: object = {}): Promise<DeskProcess> {
    const args = [MAIN, '--port', '0', '--data', file, '--control', JSON.stringify(control)];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = await once(createInterface(child.stdout), 'line');
    return new DeskProcess(/http:\S+/.exec(String(line))?.[0] ?? '', child);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const exited = once(this.#child, 'exit');
      this.#child.kill(signal);
      await exited;
    }
    return this.#child.exitCode;
  }

  post(path: string, body: unknown, key?: string): Promise<Response> {
    return fetch(this.url + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...(key !== undefined && { 'Idempotency-Key': key }) },
      body: JSON.stringify(body),
    });
  }

  async get<T>(path: string): Promise<T> {
    return (await (await fetch(this.url + path)).json()) as T;
  }

  /** What arrived so far, readings left out. */
  async requests(): Promise<RecordedRequest[]> {
    const { requests } = await this.get<{ requests: RecordedRequest[] }>('/requests');
    return requests.filter(({ route }) => route !== 'read');
  }
}

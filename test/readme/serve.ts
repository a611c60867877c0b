import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { ROOT } from './documents.ts';

const MAIN = join(ROOT, 'lib/cli/main.ts');

/** `stepfold dev` in a process of its own. Whoever starts it ends it. */
export interface Served {
  /** Asks its API; with a body it is a POST. */
  call<T>(path: string, body?: object): Promise<T>;
  end(signal: NodeJS.Signals): Promise<void>;
}

/** Serves an agents file on a free port. */
export async function serve(options: { cwd: string; agents: string; data: string }): Promise<Served> {
  const { cwd, agents, data } = options;
  const { STEPFOLD_TOKEN: _, ...env } = process.env;
  const args = [MAIN, 'dev', '--agents', agents, '--port', '0', '--data', data, '--json'];
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd,
    env,
  });
  const errors = text(child.stderr);
  const [line] = await Promise.race([
    once(createInterface(child.stdout), 'line'),
    once(child, 'exit').then(async () => {
      throw new Error(await errors);
    }),
  ]);
  const { url } = JSON.parse(String(line)) as { url: string };
  return {
    async call<T>(path: string, body?: object) {
      const post = {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      };
      return (await (await fetch(url + path, body && post)).json()) as T;
    },
    async end(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill(signal);
      await exited;
    },
  };
}

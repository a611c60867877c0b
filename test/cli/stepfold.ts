import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { RunView } from '../../lib/runtime/run-view.ts';

const MAIN = fileURLToPath(new URL('../../lib/cli/main.ts', import.meta.url));
export const AGENTS = fileURLToPath(new URL('agents.ts', import.meta.url));

export interface Said {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface RunOptions {
  url?: string;
  stdin?: string;
  cwd?: string;
  env?: Record<string, string>;
}

/** Runs the real command line, and waits for its end. */
export async function stepfold(args: readonly string[], options: RunOptions = {}): Promise<Said> {
  const child = launch(args, options);
  child.stdin?.end(options.stdin ?? '');
  const said = await Promise.all([text(child.stdout!), text(child.stderr!), once(child, 'close')]);
  return { stdout: said[0], stderr: said[1], code: child.exitCode };
}

/** Starts the command line without waiting. */
export function launch(args: readonly string[], { url, cwd, env }: RunOptions = {}): ChildProcess {
  const { STEPFOLD_URL: _, STEPFOLD_TOKEN: __, npm_lifecycle_event: ___, ...inherited } = process.env;
  return spawn(process.execPath, ['--disable-warning=ExperimentalWarning', MAIN, ...args], {
    stdio: 'pipe',
    env: { ...inherited, ...(url !== undefined && { STEPFOLD_URL: url }), ...env },
    ...(cwd !== undefined && { cwd }),
  });
}

/** A fresh directory. */
export function freshDirectory(): string {
  return mkdtempSync(join(tmpdir(), 'stepfold-cli-'));
}

/** The command line against one server. */
export function speaker(server: () => { url: string }) {
  const say = (args: readonly string[], stdin?: string) =>
    stepfold(args, { url: server().url, ...(stdin !== undefined && { stdin }) });
  return {
    say,
    /** Runs a command that must succeed, and gives its JSON. */
    async sayJson<T = RunView>(args: readonly string[], stdin?: string): Promise<T> {
      const { code, stdout, stderr } = await say([args[0] ?? '', '--json', ...args.slice(1)], stdin);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      return JSON.parse(stdout) as T;
    },
    /** Runs a command that must succeed, and gives its words. */
    async words(args: readonly string[]): Promise<string> {
      const { code, stdout, stderr } = await say(args);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      return stdout;
    },
  };
}

/** Starts a run without a process for it, and waits until it rests. */
export async function startRun(url: string, agent: string, input = 'go'): Promise<string> {
  const started = await fetch(`${url}/runs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ agent, input }),
  });
  const { runId } = (await started.json()) as RunView;
  await fetch(`${url}/runs/${runId}?wait=${agent === 'holder' ? 0 : 20}`);
  return runId;
}

/** A server in a process of its own. Whoever starts it ends it. */
export interface ServerProcess {
  readonly url: string;
  readonly port: number;
  readonly unfinished: number;
  end(signal?: NodeJS.Signals): Promise<number | null>;
}

export async function startServer(
  data: string,
  { port = 0, args = [], env = {} }: { port?: number; args?: string[]; env?: Record<string, string> } = {},
): Promise<ServerProcess> {
  const flags = ['--agents', AGENTS, '--data', data, '--port', String(port), '--json', ...args];
  const child = launch(['dev', ...flags], { env });
  const errors = text(child.stderr!);
  const [line] = await Promise.race([
    once(createInterface(child.stdout!), 'line'),
    once(child, 'exit').then(async () => {
      throw new Error(await errors);
    }),
  ]);
  const { url, unfinished } = JSON.parse(String(line)) as { url: string; unfinished: number };
  return {
    url,
    unfinished,
    port: Number(new URL(url).port),
    async end(signal = 'SIGTERM') {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill(signal);
        await once(child, 'exit');
      }
      return child.exitCode;
    },
  };
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

/** A process of its own that runs a script beside this file, until the test ends at the latest. */
export interface Child {
  /** The next line that it prints; undefined once it has ended. */
  line(): Promise<string | undefined>;
  /** Ends its standard input, for which the scripts wait before they begin. */
  go(): void;
  /** Kills it as `kill -9` does, and waits until it is gone. */
  kill(): Promise<void>;
  ended: Promise<unknown>;
  readonly pid: number;
}

export function runChild(
  script: string,
  args: string[],
  options: { nodeArgs?: string[]; uid?: number } = {},
): Child {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const nodeArgs = ['--disable-warning=ExperimentalWarning', ...(options.nodeArgs ?? [])];
  const child: ChildProcess = spawn(process.execPath, [...nodeArgs, path, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    ...(options.uid !== undefined && { uid: options.uid }),
  });
  const ended = once(child, 'exit');
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  return {
    line: async () => {
      const { value, done } = await lines.next();
      return done ? undefined : value;
    },
    go: () => child.stdin!.end(),
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
    ended,
    pid: child.pid!,
  };
}

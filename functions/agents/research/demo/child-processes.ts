import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { StepfoldError } from '../../../../lib/index.ts';

/** Starts a script in a process of its own, whose output is appended to a file. It ends with this process at the latest. */
export function launch(
  script: string,
  args: readonly string[],
  { log, env = {} }: { log: string; env?: Record<string, string> },
): ChildProcess {
  const output = openSync(log, 'a');
  const child = spawn(process.execPath, [...NODE_FLAGS, script, ...args], {
    stdio: ['ignore', output, output],
    env: { ...process.env, ...env },
  });
  closeSync(output);
  keep(child);
  return child;
}

/**
 * Runs a script to its end and gives what it wrote to stdout.
 *
 * @throws StepfoldError `demo_failed` with its own words when it does not exit with 0.
 */
export async function runToEnd(script: string, args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [...NODE_FLAGS, script, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  keep(child);
  const [said, complained] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  if (child.exitCode === 0) return said;
  throw new StepfoldError(
    'demo_failed',
    `expected \`${args.join(' ')}\` to exit with 0; got ${child.exitCode}, saying: ${complained.trim()}`,
  );
}

/** Ends one process by a signal and waits until the operating system says that it is gone. */
export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (hasEnded(child)) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}

/** Ends whatever was started here and still lives, at once. */
export function endAll(): void {
  for (const child of living) child.kill('SIGKILL');
}

/** @throws StepfoldError `demo_failed` with the last words of a process that ended by itself. */
export function assertAlive(who: string, child: ChildProcess, log: string): void {
  if (!hasEnded(child)) return;
  const said = readFileSync(log, 'utf8').trim().slice(-500);
  throw new StepfoldError(
    'demo_failed',
    `expected ${who} to live; it ended by itself (${child.signalCode ?? child.exitCode}), saying: ${said}`,
  );
}

const NODE_FLAGS = ['--disable-warning=ExperimentalWarning'];
const living = new Set<ChildProcess>();
process.once('exit', endAll);

function keep(child: ChildProcess): void {
  living.add(child);
  child.once('exit', () => living.delete(child));
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

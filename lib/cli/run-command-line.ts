import { stripVTControlCharacters } from 'node:util';
import { renderUsage, runCommand } from 'citty';
import type { StepfoldError } from '../core/errors.ts';
import type { AnyCommand } from './any-command.ts';
import { checkUsage } from './check-usage.ts';
import { commands } from './commands.ts';
import { didYouMean } from './nearest.ts';
import { reportError } from './report-error.ts';
import { isUsageError, usageError } from './usage-error.ts';

const root: AnyCommand = {
  meta: { name: 'stepfold', description: 'Durable AI agents: runs that survive anything' },
  subCommands: commands,
};

const USAGE_EXIT = 2;

/** Runs one command and gives its exit code: 0, 1 for what failed, 2 for a command line that was not understood. */
export async function runCommandLine(argv: readonly string[]): Promise<number> {
  const [name, ...rawArgs] = argv;
  const json = argv.includes('--json');
  if (name === undefined || isHelp(name)) {
    (name === undefined ? process.stderr : process.stdout).write(await usageOf(root));
    return name === undefined ? USAGE_EXIT : 0;
  }
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!load) {
    reportError(unknownCommand(name), { json });
    if (!json) process.stderr.write(`\n${await usageOf(root)}`);
    return USAGE_EXIT;
  }
  const command = await load();
  if (untilDashes(rawArgs).some(isHelp)) {
    process.stdout.write(await usageOf(command));
    return 0;
  }
  try {
    checkUsage(command, rawArgs);
    const { result } = await runCommand(command, { rawArgs });
    return typeof result === 'number' ? result : 0;
  } catch (error) {
    reportError(error, { json });
    if (!isUsageError(error)) return 1;
    if (!json) process.stderr.write(`\n${await usageOf(command)}`);
    return USAGE_EXIT;
  }
}

function isHelp(argument: string): boolean {
  return argument === '--help' || argument === '-h' || argument === 'help';
}

function untilDashes(rawArgs: readonly string[]): readonly string[] {
  const end = rawArgs.indexOf('--');
  return end === -1 ? rawArgs : rawArgs.slice(0, end);
}

function unknownCommand(name: string): StepfoldError {
  return usageError(
    `expected a command, got ${JSON.stringify(name)}.${didYouMean(name, Object.keys(commands))}`,
  );
}

async function usageOf(command: AnyCommand): Promise<string> {
  const usage = await (command === root ? renderUsage(root) : renderUsage(command, root));
  const coloured = process.stdout.isTTY && process.stderr.isTTY && !process.env.NO_COLOR;
  return `${coloured ? usage : stripVTControlCharacters(usage)}\n`;
}

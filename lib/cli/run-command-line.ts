import { runCommand } from 'citty';
import { checkUsage } from './check-usage.ts';
import { commands } from './commands.ts';
import { didYouMean } from './nearest.ts';
import { ownVersion } from './own-version.ts';
import { renderCommands, renderUsage } from './render-usage.ts';
import { reportError } from './report-error.ts';
import { isUsageError, usageError } from './usage-error.ts';

const FAILED = 1;
const NOT_UNDERSTOOD = 2;

/** Runs one command and gives its exit code: 0, 1 for what failed, 2 for a command line that was not understood. */
export async function runCommandLine(argv: readonly string[]): Promise<number> {
  // What many type first: `help` is `--help`, and `help start` is `start --help`.
  if (argv[0] === 'help') return runCommandLine([...argv.slice(1), '--help']);
  const [name, ...rawArgs] = argv;
  if (name !== undefined && isHelp(name)) {
    process.stdout.write(await renderCommands());
    return 0;
  }
  if (name === '--version' || name === '-v') {
    process.stdout.write(`${ownVersion()}\n`);
    return 0;
  }
  const json = argv.includes('--json');
  const load = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!load) return refuse(notACommand(name), { json, usage: await renderCommands() });
  const command = await load();
  if (untilDashes(rawArgs).some(isHelp)) {
    process.stdout.write(renderUsage(command));
    return 0;
  }
  try {
    checkUsage(command, rawArgs);
    const { result } = await runCommand(command, { rawArgs });
    return typeof result === 'number' ? result : 0;
  } catch (error) {
    if (isUsageError(error)) return refuse(error, { json, usage: renderUsage(command) });
    reportError(error, { json });
    return FAILED;
  }
}

function isHelp(argument: string): boolean {
  return argument === '--help' || argument === '-h';
}

function untilDashes(rawArgs: readonly string[]): readonly string[] {
  const end = rawArgs.indexOf('--');
  return end === -1 ? rawArgs : rawArgs.slice(0, end);
}

function notACommand(name: string | undefined): Error {
  const got = name === undefined ? 'none' : JSON.stringify(name);
  return usageError(`expected a command, got ${got}.${didYouMean(name ?? '', Object.keys(commands))}`);
}

function refuse(error: unknown, { json, usage }: { json: boolean; usage: string }): number {
  reportError(error, { json });
  process.stderr.write(`\n${usage}`);
  return NOT_UNDERSTOOD;
}

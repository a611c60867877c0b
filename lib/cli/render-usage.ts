import type { ArgDef } from 'citty';
import { type AnyCommand, argsOf } from './any-command.ts';
import { commands } from './commands.ts';

/** How a command is typed and what it takes. */
export function renderUsage(command: AnyCommand): string {
  const { name = '', description = '' } = (command.meta ?? {}) as { name?: string; description?: string };
  const args = Object.entries(argsOf(command));
  const positionals = args.filter(([, arg]) => arg.type === 'positional');
  const flags = args.filter(([, arg]) => arg.type !== 'positional');
  const line = [
    `stepfold ${name}`,
    ...positionals.map(([arg, def]) => positional(arg, def)),
    ...flags.flatMap(([flag, arg]) => (arg.required ? [`--${flag} ${hint(flag, arg)}`] : [])),
    '[options]',
  ];
  const rows: [string, string][] = [
    ...positionals.map(([arg, def]): [string, string] => [hint(arg, def), def.description ?? '']),
    ...flags.map(([flag, arg]): [string, string] => [
      arg.type === 'boolean' ? `--${flag}` : `--${flag} ${hint(flag, arg)}`,
      `${arg.description ?? ''}${choices(arg)}`,
    ]),
    ['--help', 'Print this'],
  ];
  return `${description}.\n\nUsage: ${line.join(' ')}\n\n${columns(rows)}`;
}

/** What there is: the commands, each with its sentence. */
export async function renderCommands(): Promise<string> {
  const rows = await Promise.all(
    Object.entries(commands).map(async ([name, load]): Promise<[string, string]> => {
      const command = await load();
      const positionals = Object.entries(argsOf(command)).filter(([, arg]) => arg.type === 'positional');
      const { description = '' } = (command.meta ?? {}) as { description?: string };
      return [[name, ...positionals.map(([arg, def]) => positional(arg, def))].join(' '), description];
    }),
  );
  return `Durable AI agents: runs that survive anything.\n\nUsage: stepfold COMMAND [options]\n\n${columns(rows)}\nstepfold COMMAND --help says what a command takes; stepfold --version which one this is.\n`;
}

function positional(name: string, arg: ArgDef): string {
  return arg.required === false ? `[${hint(name, arg)}]` : hint(name, arg);
}

function hint(flag: string, arg: ArgDef): string {
  return (arg as { valueHint?: string }).valueHint ?? flag.toUpperCase();
}

function choices(arg: ArgDef): string {
  return arg.type === 'enum' ? `: ${(arg.options ?? []).join(', ')}` : '';
}

function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}\n`).join('');
}

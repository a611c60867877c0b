import { parseArgs } from 'node:util';
import { type AnyCommand, argsOf } from './any-command.ts';
import { usageError } from './usage-error.ts';

/**
 * The `NAME=VALUE` pairs of a flag that may be given several times, in order.
 *
 * @throws StepfoldError `bad_usage`
 */
export function pairsOf(command: AnyCommand, flag: string, rawArgs: readonly string[]): [string, string][] {
  const options = Object.fromEntries(
    Object.entries(argsOf(command))
      .filter(([, arg]) => arg.type !== 'positional')
      .map(([name, arg]) => [
        name,
        {
          type: arg.type === 'boolean' ? ('boolean' as const) : ('string' as const),
          multiple: name === flag,
        },
      ]),
  );
  const { values } = parseArgs({ args: [...rawArgs], options, strict: false, allowPositionals: true });
  return ((values[flag] ?? []) as string[]).map((text) => pairOf(flag, text));
}

function pairOf(flag: string, text: string): [string, string] {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name !== undefined && value !== undefined) return [name, value];
  throw usageError(`--${flag}: expected NAME=VALUE, got ${JSON.stringify(text)}`);
}

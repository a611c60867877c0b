import { parseArgs } from 'node:util';
import type { ArgDef } from 'citty';
import { type AnyCommand, argsOf } from './any-command.ts';
import { didYouMean } from './nearest.ts';
import { usageError } from './usage-error.ts';

/**
 * Refuses what citty would let pass: unknown flags, values that are missing, arguments too many or too few.
 *
 * @throws StepfoldError `bad_usage`.
 */
export function checkUsage(command: AnyCommand, rawArgs: readonly string[]): void {
  const args = argsOf(command);
  const flags = Object.entries(args).filter(([, arg]) => arg.type !== 'positional');
  const options = Object.fromEntries(
    flags.map(([name, arg]) => [
      name,
      { type: arg.type === 'boolean' ? ('boolean' as const) : ('string' as const) },
    ]),
  );
  const { tokens } = parseArgs({
    args: [...rawArgs],
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const arg = Object.hasOwn(args, token.name) ? args[token.name] : undefined;
    if (!arg || arg.type === 'positional') {
      const known = flags.map(([name]) => `--${name}`);
      const near = didYouMean(token.rawName, known);
      throw usageError(`unknown flag ${token.rawName}.${near || BEHIND_DASHES}`);
    }
    if (arg.type === 'boolean') {
      if (token.value !== undefined) throw usageError(`${token.rawName} takes no value`);
      continue;
    }
    checkValue(token);
    const choices = arg.type === 'enum' ? (arg.options ?? []) : undefined;
    if (choices && !choices.includes(token.value ?? '')) {
      throw usageError(
        `${token.rawName}: expected ${choices.join(', ')}; got ${JSON.stringify(token.value)}.${didYouMean(token.value ?? '', choices)}`,
      );
    }
  }
  const missing = flags.find(
    ([name, arg]) => arg.required && !tokens.some((token) => token.kind === 'option' && token.name === name),
  );
  if (missing) throw usageError(`expected --${missing[0]}, which is missing`);
  checkPositionals(
    Object.entries(args).flatMap(([name, arg]) =>
      arg.type === 'positional' ? [positionalOf(name, arg)] : [],
    ),
    tokens.flatMap((token) => (token.kind === 'positional' ? [token.value] : [])),
  );
}

function checkValue(token: {
  rawName: string;
  value: string | undefined;
  inlineValue: boolean | undefined;
}): void {
  if (token.value === undefined) throw usageError(`${token.rawName} needs a value`);
  if (!token.inlineValue && token.value.length > 1 && token.value.startsWith('-')) {
    throw usageError(
      `${token.rawName} needs a value; one that begins with - is written ${token.rawName}=${token.value}`,
    );
  }
}

const BEHIND_DASHES = ' Text that begins with - comes last, behind --.';

interface Positional {
  readonly name: string;
  readonly required: boolean;
}

function positionalOf(name: string, arg: ArgDef): Positional {
  const { valueHint = name.toUpperCase() } = arg as { valueHint?: string };
  return { name: valueHint, required: arg.required !== false };
}

function checkPositionals(positionals: readonly Positional[], values: readonly string[]): void {
  const names = positionals.map(({ name }) => name);
  const missing = positionals.slice(values.length).flatMap(({ name, required }) => (required ? [name] : []));
  if (missing.length > 0)
    throw usageError(`expected ${missing.join(' and ')}, which ${missing.length > 1 ? 'are' : 'is'} missing`);
  const extra = values.slice(names.length);
  if (extra.length === 0) return;
  const expected = names.join(' and ') || 'no arguments';
  throw usageError(
    `expected ${expected}, got also ${extra.map((value) => JSON.stringify(value)).join(' ')}. Put text with spaces in quotes.`,
  );
}

import type { ArgsDef, CommandDef } from 'citty';

/** A command of any arguments. Its `run` may give the exit code; 0 is meant where it gives none. */
// biome-ignore lint/suspicious/noExplicitAny: the arguments differ from command to command.
export type AnyCommand = CommandDef<any>;

/** The arguments of a command; all of ours are plain values. */
export function argsOf(command: AnyCommand): ArgsDef {
  return (command.args ?? {}) as ArgsDef;
}

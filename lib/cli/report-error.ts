import { isStepfoldError } from '../core/errors.ts';
import { stepfold } from './command-name.ts';
import { paint } from './paint.ts';
import { jsonText, visible } from './visible.ts';

/** Says what failed, why, and what to do: in words on stderr, and for programs as the one JSON value on stdout. */
export function reportError(error: unknown, { json }: { json: boolean }): void {
  const code = isStepfoldError(error) ? error.code : 'internal';
  const details = isStepfoldError(error) ? error.details : {};
  const message = error instanceof Error ? error.message : String(error);
  if (json) process.stdout.write(`${jsonText({ ...details, code, detail: message })}\n`);
  const colour = paint(process.stderr);
  process.stderr.write(`${colour.red('error')} ${visible(message)} ${colour.dim(`(${code})`)}\n`);
  for (const cause of causesOf(error)) process.stderr.write(`  ${colour.dim(`because ${visible(cause)}`)}\n`);
  const hint = isStepfoldError(error) ? HINTS[code] : undefined;
  if (hint) process.stderr.write(`${hint()}\n`);
  if (!isStepfoldError(error) && error instanceof Error && error.stack)
    process.stderr.write(`${visible(error.stack, { lines: true })}\n`);
}

/** The next command, where the message itself does not say it. */
const HINTS: Record<string, () => string> = {
  unknown_run: () => `${stepfold('runs')} lists the runs.`,
  unknown_interrupt: () => `${stepfold('interrupts')} lists what is open.`,
  already_decided: () => `${stepfold('show RUN')} shows how the run went on.`,
  interrupt_closed: () => `${stepfold('show RUN')} shows how the run went on.`,
  run_ended: () => `${stepfold('show RUN')} shows how it ended.`,
  unauthorized: () => 'Set STEPFOLD_TOKEN to the token that the server was started with.',
  internal: () => "The server's log says more.",
};

/** Where an exception in somebody's file came from is worth its first lines. */
function causesOf(error: unknown): string[] {
  const causes: string[] = [];
  let cause = error instanceof Error ? error.cause : undefined;
  while (cause instanceof Error && causes.length < 5) {
    const [place] = (cause.stack ?? '')
      .split('\n')
      .filter((line) => /^\s+at /.test(line) && !line.includes('node:internal'));
    causes.push(`${cause.name}: ${cause.message}${place ? ` (${place.trim()})` : ''}`);
    cause = cause.cause;
  }
  return causes;
}

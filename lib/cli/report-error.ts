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
  process.stderr.write(
    `${colour.red('error')} ${visible(message, { lines: true })} ${colour.dim(`(${code})`)}\n`,
  );
  for (const cause of causesOf(error)) process.stderr.write(`  ${colour.dim(visible(cause))}\n`);
  const hint = isStepfoldError(error) ? HINTS[code]?.(details) : undefined;
  if (hint) process.stderr.write(`${visible(hint)}\n`);
  if (!isStepfoldError(error) && error instanceof Error && error.stack)
    process.stderr.write(`${visible(error.stack, { lines: true })}\n`);
}

/** The next command, where the message itself does not say it. */
const HINTS: Record<string, (details: Readonly<Record<string, unknown>>) => string> = {
  unknown_run: () => `${stepfold('runs')} lists the runs.`,
  unknown_interrupt: () => `${stepfold('interrupts')} lists what is open.`,
  already_decided: () => `${stepfold('show RUN')} shows how the run went on.`,
  interrupt_closed: () => `${stepfold('show RUN')} shows how the run went on.`,
  run_ended: () => `${stepfold('show RUN')} shows how it ended.`,
  run_cancelling: () => `${stepfold('show RUN')} shows how far the cancel is.`,
  not_blocked: () => `${stepfold('show RUN')} shows what it waits for.`,
  limits_required: ({ limit }) => `Raise it: ${stepfold(`resume RUN --limit ${limit}=VALUE`)}`,
  wrong_answer: () =>
    `${stepfold('show RUN')} shows the schema. What is JSON is taken as JSON: text that looks so is given in quotes, '"42"'.`,
  unauthorized: () => 'Set STEPFOLD_TOKEN to the token that the server was started with.',
  internal: () => "The server's log says more.",
};

/**
 * What led to an error, each with the place in somebody's own file where it was thrown. What zod found is in the message
 * above it.
 */
function causesOf(error: unknown): string[] {
  const causes: string[] = [];
  let told = error instanceof Error ? error.message : '';
  let cause = error instanceof Error ? error.cause : undefined;
  while (cause instanceof Error && causes.length < MOST_CAUSES) {
    const place = placeOf(cause);
    const said =
      told.includes(cause.message) || cause.name === 'ZodError'
        ? []
        : [`because ${cause.name}: ${cause.message}`];
    causes.push(...said, ...(place === undefined ? [] : [place]));
    told = cause.message;
    cause = cause.cause;
  }
  return causes;
}

const MOST_CAUSES = 5;
const OURS = new URL('..', import.meta.url).href;

function placeOf({ stack = '' }: Error): string | undefined {
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line) || line.startsWith('file://'));
  return frames.find((frame) => frame.includes('file://') && !frame.includes(OURS))?.trim();
}

import { pathToFileURL } from 'node:url';
import { isStepfoldError } from '../core/errors.ts';
import { stepfold } from './command-name.ts';
import { paint } from './paint.ts';
import { messageOf } from './thrown-text.ts';
import { jsonText, visible } from './visible.ts';

/** Says what failed, why, and what to do: in words on stderr, and for programs as the one JSON value on stdout. */
export function reportError(error: unknown, { json }: { json: boolean }): void {
  const { code, details } = isStepfoldError(error) ? error : { code: 'internal', details: {} };
  const message = messageOf(error);
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

/** Their messages say all that there is to say of their causes. */
const WHOLE = new Set(['data_in_use', 'data_damaged', 'port_in_use']);

/** What led to an error; nothing where that cannot be read, since anything may be thrown. */
function causesOf(error: unknown): string[] {
  try {
    return isStepfoldError(error) && WHOLE.has(error.code) ? [] : readCauses(error);
  } catch {
    return [];
  }
}

/** Each cause with the place in somebody's own file where it was thrown. What zod found is in the message above it. */
function readCauses(error: unknown): string[] {
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

/** Frames of libraries are no place to look at, and those of whatever called the command line say nothing of the fault. */
function placeOf({ stack = '' }: Error): string | undefined {
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line) || line.startsWith('file://'));
  const caller = frames.findIndex((frame) => frame.includes('/node_modules/citty/') || frame.includes(MAIN));
  return frames
    .slice(0, caller === -1 ? undefined : caller)
    .find((frame) => frame.includes('file://') && !frame.includes(OURS) && !frame.includes('/node_modules/'))
    ?.trim();
}

const MAIN = pathToFileURL(process.argv[1] ?? '').href;

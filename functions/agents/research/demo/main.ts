import { mkdirSync, mkdtempSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { reportError } from '../../../../lib/cli/report-error.ts';
import { StepfoldError } from '../../../../lib/index.ts';
import { endAll } from './child-processes.ts';
import { Narrator } from './narrator.ts';
import { runDemo } from './run-demo.ts';

const HELP = `npm run demo [-- [--json] [--data DIR]]

Tells how one run of an agent survives kill -9, with real kills of a real server. Each line is looked up in the log, the
desk's record or the model's before it is told; one that does not hold ends the demo with exit 1. It takes under a
minute, listens on free ports of 127.0.0.1, needs no network, and keeps its files.

  --json      the story goes to stderr, and the last line of stdout is one JSON object with what was counted
  --data DIR  an empty directory for its files (default a fresh one in .stepfold)
  --help      this text
`;

const FAILED = 1;
const NOT_UNDERSTOOD = 2;
const INTERRUPTED_EXIT = 130;

const given = readArguments();
if (typeof given === 'string') {
  process.stderr.write(`${given}\n\n${HELP}`);
  process.exitCode = NOT_UNDERSTOOD;
} else if (given.help) {
  process.stdout.write(HELP);
} else {
  // Leaving by `exit` ends every process that the demo started.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => process.exit(INTERRUPTED_EXIT));
  }
  await main(given);
}

async function main({ json, data }: { json: boolean; data: string | undefined }): Promise<void> {
  forgetSettings();
  try {
    const directory = data === undefined ? freshDirectory() : emptyDirectory(data);
    const counts = await runDemo(directory, new Narrator(json ? process.stderr : process.stdout));
    if (json) process.stdout.write(`${JSON.stringify(counts)}\n`);
  } catch (error) {
    reportError(error, { json });
    endAll();
    process.exitCode = FAILED;
  }
}

function readArguments() {
  try {
    const { values } = parseArgs({
      options: {
        json: { type: 'boolean', default: false },
        data: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    return { ...values, data: values.data };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The story is the same whatever this shell has set for other servers. */
function forgetSettings(): void {
  for (const name of Object.keys(process.env)) if (name.startsWith('STEPFOLD_')) delete process.env[name];
}

function freshDirectory(): string {
  mkdirSync('.stepfold', { recursive: true, mode: 0o700 });
  const time = new Date().toISOString().slice(0, 19).replaceAll(':', '-');
  return mkdtempSync(join('.stepfold', `demo-${time}-`));
}

function emptyDirectory(path: string): string {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  if (readdirSync(path).length === 0) return path;
  throw new StepfoldError(
    'data_in_use',
    `expected an empty directory; ${path} has files in it. Name another one, or leave --data out.`,
  );
}

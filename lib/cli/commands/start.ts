import { parseArgs } from 'node:util';
import { defineCommand } from 'citty';
import type { RunView } from '../../runtime/run-view.ts';
import type { startRun } from '../../runtime/start-run.ts';
import { type ApiClient, apiClient } from '../api-client.ts';
import { stepfold } from '../command-name.ts';
import { describeRun } from '../describe-run.ts';
import { followEvents } from '../follow-events.ts';
import { patientClient } from '../patient-client.ts';
import { print } from '../print.ts';
import { startProgress } from '../progress.ts';
import { readInput } from '../read-input.ts';
import { serverArgs } from '../shared-args.ts';
import { createTimeline } from '../timeline.ts';
import { usageError } from '../usage-error.ts';
import { visible } from '../visible.ts';

type Started = Awaited<ReturnType<typeof startRun>>;

/** Short, because the run may pause without another event. */
const WAIT_SECONDS = 2;
const DID_NOT_COMPLETE = 1;

export const startCommand = defineCommand({
  meta: { name: 'start', description: 'Start a run of an agent' },
  args: {
    agent: { type: 'positional', description: 'The name of the agent', required: true },
    input: {
      type: 'positional',
      description: 'What it is asked: text, @FILE, or - for stdin',
      required: true,
    },
    'input-json': { type: 'boolean', description: 'INPUT is JSON, not text' },
    wait: {
      type: 'boolean',
      description: 'Show progress until the run pauses or ends; exits 1 if it failed',
    },
    key: {
      type: 'string',
      description: 'Idempotency key: the same key and input again is the same run',
      valueHint: 'KEY',
    },
    label: { type: 'string', description: 'A label; may be given several times', valueHint: 'NAME=VALUE' },
    ...serverArgs,
  },
  async run({ args, rawArgs }) {
    const labels = labelsOf(rawArgs);
    const input = await readInput(args.input, { json: args['input-json'] === true });
    const api = apiClient(args);
    const headers = args.key === undefined ? {} : { 'idempotency-key': args.key };
    const started = await api.post<Started>(
      '/runs',
      { agent: args.agent, input, ...(labels && { labels }) },
      headers,
    );
    if (args.wait) return watch(api, args, started.runId);
    print(
      args,
      started,
      () =>
        `${started.runId} of ${visible(args.agent)} is ${started.status}\nFollow it: ${stepfold(`events ${started.runId} --follow`)}\n`,
    );
    return 0;
  },
});

/** Shows what happens until the run rests, then the run. */
async function watch(api: ApiClient, args: { json?: boolean | undefined }, runId: string): Promise<number> {
  const progress = startProgress(`${runId} is running`);
  const line = createTimeline(process.stdout);
  const patient = patientClient(api, progress);
  const look = () => patient.get<RunView>(`/runs/${runId}`);
  try {
    let last = -1;
    const done = async () => {
      const { status, steps, seq } = await look();
      progress.say(`${runId} is ${status}, step ${steps}`);
      return status !== 'queued' && status !== 'running' && seq === last;
    };
    for await (const event of followEvents(patient, { run: runId, after: -1, wait: WAIT_SECONDS, done })) {
      last = event.seq;
      progress.clear();
      if (!args.json) process.stdout.write(line(event));
    }
  } finally {
    progress.stop();
  }
  const run = await look();
  print(args, run, () => `\n${describeRun(run, process.stdout)}`);
  return run.status === 'completed' || run.status === 'paused' ? 0 : DID_NOT_COMPLETE;
}

/** The labels, which may be given several times. */
function labelsOf(rawArgs: readonly string[]): Record<string, string> | undefined {
  const { values } = parseArgs({
    args: [...rawArgs],
    options: { label: { type: 'string', multiple: true }, key: { type: 'string' }, url: { type: 'string' } },
    strict: false,
    allowPositionals: true,
  });
  const given = (values.label ?? []) as string[];
  if (given.length === 0) return undefined;
  return Object.fromEntries(given.map(labelOf));
}

function labelOf(text: string): [string, string] {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name !== undefined && value !== undefined) return [name, value];
  throw usageError(`--label: expected NAME=VALUE, got ${JSON.stringify(text)}`);
}

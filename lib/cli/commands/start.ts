import { type ArgsDef, defineCommand } from 'citty';
import type { RunView } from '../../runtime/run-view.ts';
import type { startRun } from '../../runtime/start-run.ts';
import { type ApiClient, apiClient } from '../api-client.ts';
import { stepfold } from '../command-name.ts';
import { describeRun } from '../describe-run.ts';
import { followEvents } from '../follow-events.ts';
import { limitsOf } from '../parse-limits.ts';
import { patientClient } from '../patient-client.ts';
import { print } from '../print.ts';
import { startProgress } from '../progress.ts';
import { readInput } from '../read-input.ts';
import { pairsOf } from '../repeated-flag.ts';
import { limitArg, serverArgs } from '../shared-args.ts';
import { createTimeline } from '../timeline.ts';
import { visible } from '../visible.ts';

type Started = Awaited<ReturnType<typeof startRun>>;

/** Short, because the run may pause without another event. */
const WAIT_SECONDS = 2;
const DID_NOT_COMPLETE = 1;

const args = {
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
  ...limitArg,
  ...serverArgs,
} as const satisfies ArgsDef;

export const startCommand = defineCommand({
  meta: { name: 'start', description: 'Start a run of an agent' },
  args,
  async run({ args: given, rawArgs }) {
    const labels = pairsOf({ args }, 'label', rawArgs);
    const limits = limitsOf(pairsOf({ args }, 'limit', rawArgs));
    const { agent, key } = given;
    const input = await readInput(given.input, { json: given['input-json'] === true });
    const api = apiClient(given);
    const headers = key === undefined ? {} : { 'idempotency-key': key };
    const started = await api.post<Started>(
      '/runs',
      {
        agent,
        input,
        ...(labels.length > 0 && { labels: Object.fromEntries(labels) }),
        ...(limits && { limits }),
      },
      headers,
    );
    if (given.wait) return watch(api, given, started.runId);
    print(
      given,
      started,
      () =>
        `${started.runId} of ${visible(agent)} is ${started.status}\nFollow it: ${stepfold(`events ${started.runId} --follow`)}\n`,
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

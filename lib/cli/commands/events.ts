import { defineCommand } from 'citty';
import type { Event } from '../../core/events.ts';
import { apiClient } from '../api-client.ts';
import { followEvents } from '../follow-events.ts';
import { patientClient } from '../patient-client.ts';
import { startProgress } from '../progress.ts';
import { runArg, serverArgs } from '../shared-args.ts';
import { createTimeline } from '../timeline.ts';
import { usageError } from '../usage-error.ts';
import { jsonText } from '../visible.ts';

const WAIT_SECONDS = 20;

export const eventsCommand = defineCommand({
  meta: { name: 'events', description: "Print a run's log as a timeline" },
  args: {
    ...runArg,
    follow: { type: 'boolean', description: 'Go on until the run ends; with --json one event per line' },
    after: { type: 'string', description: 'Only events with a greater seq', valueHint: 'SEQ' },
    ...serverArgs,
  },
  async run({ args }) {
    const after = seqOf(args.after);
    const follow = args.follow === true;
    const progress = startProgress(`waiting for events of ${args.run}`);
    const line = args.json ? (event: Event) => `${jsonText(event)}\n` : createTimeline(process.stdout);
    const events: Event[] = [];
    try {
      const api = patientClient(apiClient(args), progress);
      const done = async (page: readonly Event[]) => !follow && page.length === 0;
      for await (const event of followEvents(api, {
        run: args.run,
        after,
        wait: follow ? WAIT_SECONDS : 0,
        done,
      })) {
        progress.clear();
        if (args.json && !follow) events.push(event);
        else process.stdout.write(line(event));
        progress.say(`waiting for events of ${args.run}`);
      }
    } finally {
      progress.stop();
    }
    if (args.json && !follow) process.stdout.write(`${jsonText({ events })}\n`);
  },
});

function seqOf(given: string | undefined): number {
  if (given === undefined) return -1;
  if (/^\d{1,15}$/.test(given)) return Number(given);
  throw usageError(`--after: expected the seq of an event, a whole number; got ${JSON.stringify(given)}`);
}

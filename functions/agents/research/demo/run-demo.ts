import { relative } from 'node:path';
import { StepfoldError } from '../../../../lib/index.ts';
import { type Counts, count, violationsIn } from './count.ts';
import type { Narrator } from './narrator.ts';
import { readFiles, readRuns, recordFiles } from './records.ts';
import { report } from './report.ts';
import { Stage } from './stage.ts';
import { tellStory } from './story.ts';

/**
 * Tells the story in a directory of its own and counts what is in the records afterwards.
 *
 * @throws StepfoldError `demo_failed` that names the claim which does not hold, with what was counted in its details.
 */
export async function runDemo(
  directory: string,
  narrator: Narrator,
): Promise<Counts & { seconds: number; files: string[] }> {
  narrator.write(introduction(directory));
  const stage = await Stage.open(directory, narrator);
  await tellStory(stage);
  const runs = await readRuns(stage.url);
  await stage.close();

  const records = { runs, ...readFiles(directory) };
  const counts = count(records);
  narrator.write(report(counts, directory));
  const broken = [...shortfalls(counts, stage.killed), ...violationsIn(records)];
  if (broken.length > 0)
    throw new StepfoldError('demo_failed', broken.join('\n'), { details: { ...counts } });
  narrator.write(farewell(directory, runs));
  return { ...counts, seconds: Math.round(narrator.seconds), files: Object.values(recordFiles(directory)) };
}

/** What was to be shown and was not. */
function shortfalls(counts: Counts, killed: number): string[] {
  const { kills, ticketsPerKey, modelCallsResent, runs, completed } = counts;
  const claims: [held: boolean, claim: string][] = [
    [kills >= 6, `expected at least 6 kills; the records show ${kills}`],
    [kills === killed, `expected the records to show the ${killed} kills that were made; they show ${kills}`],
    [ticketsPerKey === 1, `expected one ticket per key; the desk holds up to ${ticketsPerKey}`],
    [modelCallsResent === 0, `expected no finished model call to be sent again; ${modelCallsResent} were`],
    [runs === 2 && completed === 2, `expected 2 completed runs; ${completed} of ${runs} completed`],
  ];
  return claims.filter(([held]) => !held).map(([, claim]) => claim);
}

function introduction(directory: string): string {
  return `One run of an AI agent, killed with kill -9 again and again. It searches notes, opens a ticket at a ticket desk,
comments on it, pages the engineer on call, and closes the ticket when a person approves.

The server that runs it is a process of its own, and so is the desk; the kills are real. To hit the right instant, the
model, the tools and the desk are told to be slow there. What you read was looked up before it was printed:
  log      the run's log, in SQLite, asked through the API
  desk     what the desk wrote down of each request that reached it
  model    what the model wrote down of each call that it received
  person   a command that a person types, with \`npm run -s stepfold --\` for \`stepfold\`
The files are in ${relative('.', directory)}
`;
}

function farewell(directory: string, runs: readonly { runId: string }[]): string {
  return `
Every line above held. To look for yourself:
  npm start -- --data ${relative('.', directory)}
  npm run -s stepfold -- events ${runs.at(-1)?.runId}
`;
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiClient } from '../../../../lib/cli/api-client.ts';
import type { Event } from '../../../../lib/core/events.ts';
import type { Verdict } from '../../../../lib/core/verify.ts';
import { openDesk } from '../desk/desk.ts';
import type { RecordedRequest } from '../desk/request-record.ts';
import type { ReceivedCall } from './resent-calls.ts';

/** One run as the API tells it. */
export interface RunRecord {
  runId: string;
  status: string;
  events: readonly Event[];
  violations: Verdict['violations'];
}

/** Everything that was written down while the story ran, by those it happened to. */
export interface Records {
  runs: readonly RunRecord[];
  /** Each call that the model received. */
  modelCalls: readonly ReceivedCall[];
  /** Each request that the desk received. */
  requests: readonly RecordedRequest[];
  /** The tickets that the desk holds. */
  tickets: readonly { key: string | null }[];
  /** What the servers themselves wrote, one life after the other. */
  serverLog: string;
}

/** The files of a demo in its directory. */
export function recordFiles(directory: string) {
  return {
    runs: join(directory, 'stepfold.db'),
    desk: join(directory, 'desk.db'),
    model: join(directory, 'model.jsonl'),
    server: join(directory, 'server.log'),
  };
}

/** Every run that the server knows, with its log and the verdict of `verify`. */
export async function readRuns(url: string): Promise<RunRecord[]> {
  const api = apiClient({ url });
  const { runs } = await api.get<{ runs: { runId: string; status: string }[] }>('/runs?limit=100');
  return Promise.all(
    runs.map(async ({ runId, status }) => {
      const { events } = await api.get<{ events: Event[] }>(`/runs/${runId}/events?limit=500`);
      const { violations } = await api.get<Verdict>(`/runs/${runId}/verify`);
      return { runId, status, events, violations };
    }),
  );
}

/** The rest of the records, from the files that the desk, the model and the servers wrote. */
export function readFiles(directory: string): Omit<Records, 'runs'> {
  const files = recordFiles(directory);
  const desk = openDesk(files.desk);
  try {
    return {
      modelCalls: readModelCalls(files.model),
      requests: desk.record.all(),
      tickets: desk.tickets.all() as unknown as { key: string | null }[],
      serverLog: readFileSync(files.server, 'utf8'),
    };
  } finally {
    desk.database.close();
  }
}

/** The calls that the model received so far; none before the first made the file. */
export function readModelCalls(file: string): ReceivedCall[] {
  const whole = readIfThere(file).split('\n').slice(0, -1);
  return whole.map((line) => JSON.parse(line) as ReceivedCall);
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

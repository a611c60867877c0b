import type { RecordedRequest } from '../desk/request-record.ts';
import type { Records } from './records.ts';
import { resentCalls } from './resent-calls.ts';
import { serverLives } from './server-lives.ts';

/** What the records say, in numbers. */
export interface Counts {
  /** Servers that went away without a word. */
  kills: number;
  /** The most tickets that the desk holds for any idempotency key. */
  ticketsPerKey: number;
  /** Calls that the model received although that very call was finished. */
  modelCallsResent: number;
  /** Guarantees that a log violates, and keys that had their effect at the desk more than once. */
  violations: number;
  runs: number;
  completed: number;
  /** Model calls that the logs hold an answer of, and calls that the model received. */
  modelAnswers: number;
  modelCalls: number;
  tickets: number;
  /** What the desk received and did, by its operations. */
  desk: Record<(typeof EFFECTS)[number], { received: number; done: number }>;
  /** How often the desk was asked by key what became of a ticket. */
  askedByKey: number;
}

const EFFECTS = ['create_ticket', 'post_comment', 'page_oncall', 'close_ticket'] as const;

/** Counts from the records alone: nothing that the story believes it did goes in. */
export function count(records: Records): Counts {
  const { runs, modelCalls, requests, tickets, serverLog } = records;
  const logs = runs.map(({ events }) => events);
  const of = (route: string) => requests.filter((request) => request.route === route);
  const doneAt = (route: string) => of(route).filter(({ did }) => did === 'applied');
  return {
    kills: serverLives(serverLog).filter(({ saidGoodbye }) => !saidGoodbye).length,
    ticketsPerKey: most(tickets),
    modelCallsResent: resentCalls(modelCalls, logs).length,
    violations: violationsIn(records).length,
    runs: runs.length,
    completed: runs.filter(({ status }) => status === 'completed').length,
    modelAnswers: logs.flat().filter(({ type }) => type === 'model_responded').length,
    modelCalls: modelCalls.length,
    tickets: tickets.length,
    desk: Object.fromEntries(
      EFFECTS.map((route) => [route, { received: of(route).length, done: doneAt(route).length }]),
    ) as Counts['desk'],
    askedByKey: of('find_ticket').length,
  };
}

/** What `verify` found in the logs, and what only the desk's record can show: an effect that one key had twice. */
export function violationsIn({ runs, requests }: Pick<Records, 'runs' | 'requests'>): string[] {
  const inLogs = runs.flatMap(({ runId, violations }) =>
    violations.map(({ guarantee, message }) => `run ${runId}, guarantee ${guarantee}: ${message}`),
  );
  const twice = EFFECTS.flatMap((route) =>
    repeated(requests.filter((request) => request.route === route && request.did === 'applied')).map(
      ([key, times]) => `the desk did ${route} ${times} times for ${key}`,
    ),
  );
  // No person in the story says `retry`, so that no page may be sent again, whatever became of it.
  const sent = repeated(requests.filter(({ route }) => route === 'page_oncall')).map(
    ([key, times]) => `page_oncall was sent ${times} times for ${key}`,
  );
  return [...inLogs, ...twice, ...sent];
}

function repeated(requests: readonly RecordedRequest[]): [key: string | null, times: number][] {
  return [...perKey(requests)].filter(([, times]) => times > 1);
}

function most(items: readonly { key: string | null }[]): number {
  return Math.max(0, ...perKey(items).values());
}

function perKey(items: readonly { key: string | null }[]): Map<string | null, number> {
  const grouped = Map.groupBy(items, ({ key }) => key);
  return new Map([...grouped].map(([key, group]) => [key, group.length]));
}

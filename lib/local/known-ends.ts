import type { EventLog } from '../ports/event-log.ts';
import type { RunKey } from '../ports/run-key.ts';

/**
 * An event log that remembers where it has just written, so that asking what came after that takes no read. Only for a log
 * that nobody else writes.
 *
 * @param most how many runs' ends are remembered
 */
export function knownEnds(log: EventLog, most = 1_000): EventLog {
  const ends = new Map<string, number>();
  const keyOf = ({ tenant, runId }: RunKey) => `${tenant} ${runId}`;

  function note(key: string, last: number): void {
    if ((ends.get(key) ?? -1) < last) ends.set(key, last);
    const [oldest] = ends.keys();
    if (ends.size > most && oldest !== undefined) ends.delete(oldest);
  }

  return {
    ...log,

    async append(run, commit) {
      const key = keyOf(run);
      // Until the answer is there, only the store knows; after none, too.
      ends.delete(key);
      const answer = await log.append(run, commit);
      if (answer === 'appended') note(key, commit.seq + commit.events.length - 1);
      return answer;
    },

    async read(run, range) {
      return ends.get(keyOf(run)) === range.after ? [] : log.read(run, range);
    },
  };
}

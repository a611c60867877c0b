import type { Commit, EventLog, Evidence, Manifest } from '../ports/event-log.ts';
import { perRun } from './per-run.ts';

/** A commit as JSON text, so that what is read is never what was handed in, and is as identical as in a real store. */
interface Stored {
  readonly seq: number;
  readonly last: number;
  readonly text: string;
}

interface RunLog {
  readonly commits: Stored[];
  manifest?: { readonly seq: number; readonly text: string };
  readonly evidence: Map<string, { readonly at: string; readonly text: string }>;
}

/** The event log in arrays. */
export function memoryEventLog(): EventLog {
  const logs = perRun<RunLog>(() => ({ commits: [], evidence: new Map() }));

  return {
    async append(run, commit) {
      const { commits } = logs(run);
      const before = commits.findLastIndex((stored) => stored.seq <= commit.seq);
      if (commits[before]?.seq === commit.seq) return 'conflict';
      const last = commit.seq + commit.events.length - 1;
      commits.splice(before + 1, 0, { seq: commit.seq, last, text: JSON.stringify(commit) });
      return 'appended';
    },

    async load(run) {
      const { commits, manifest } = logs(run);
      if (!manifest) return { commits: commits.map(parseCommit) };
      const tail = commits.slice(commits.findLastIndex((stored) => stored.seq <= manifest.seq) + 1);
      return { manifest: JSON.parse(manifest.text) as Manifest, commits: tail.map(parseCommit) };
    },

    async read(run, { after, limit }) {
      const { commits } = logs(run);
      const found: Commit[] = [];
      let events = 0;
      for (let i = firstBeyond(commits, after); i < commits.length && events < limit; i++) {
        const stored = commits[i] as Stored;
        found.push(parseCommit(stored));
        events += stored.last - Math.max(after, stored.seq - 1);
      }
      return found;
    },

    async putManifest(run, manifest) {
      const log = logs(run);
      if (log.manifest && log.manifest.seq > manifest.seq) return;
      log.manifest = { seq: manifest.seq, text: JSON.stringify(manifest) };
    },

    async putEvidence(run, evidence) {
      const kept = logs(run).evidence;
      const key = JSON.stringify([evidence.callId, evidence.attempt, evidence.owner]);
      if (!kept.has(key)) kept.set(key, { at: evidence.at, text: JSON.stringify(evidence) });
    },

    async evidence(run) {
      const kept = [...logs(run).evidence.values()];
      const oldestFirst = kept.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
      return oldestFirst.map(({ text }) => JSON.parse(text) as Evidence);
    },
  };
}

function parseCommit({ text }: Stored): Commit {
  return JSON.parse(text) as Commit;
}

/** The index of the first commit that holds an event with a seq greater than `after`. */
function firstBeyond(commits: readonly Stored[], after: number): number {
  let low = 0;
  let high = commits.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((commits[middle] as Stored).last > after) high = middle;
    else low = middle + 1;
  }
  return low;
}

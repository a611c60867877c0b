import { foldCommit } from './fold.ts';
import { canonicalJson } from './hash.ts';
import type { Json } from './json.ts';
import { emptyState, type RunState } from './state.ts';
import type { Entry } from './transcript.ts';
import type { RunFacts, Violation } from './verify.ts';

/** 1. seq is 0..head: no gap, no duplicate, no rewrite. */
export function checkLog({ commits, hashes }: RunFacts): Violation[] {
  const violations: Violation[] = [];
  let expected = 0;
  for (const [index, commit] of commits.entries()) {
    const seqs = commit.events.map((event) => event.seq);
    if (commit.seq !== expected || seqs.some((seq, offset) => seq !== commit.seq + offset)) {
      const message = `expected the commit at seq ${expected}, found one at ${commit.seq} with events ${seqs.join(', ')}`;
      violations.push({ guarantee: 1, message, events: seqs });
    }
    if (commit.hash !== hashes[index]) {
      violations.push({
        guarantee: 1,
        message: `the commit at ${commit.seq} was rewritten: its hash does not fit`,
        events: seqs,
      });
    }
    expected = (seqs.at(-1) ?? commit.seq) + 1;
  }
  return violations;
}

/** 7. fold(snapshot + tail) = fold(all), and every request to a model is one that a provider accepts. */
export function checkFold({ commits, resumed }: RunFacts): Violation[] {
  const violations: Violation[] = [];
  let state = emptyState();
  for (const commit of commits) {
    const before = state.transcript.tail.length;
    state = foldCommit(state, commit);
    const problem = state.model.phase === 'ready' && !state.turn && badRequest(state, before);
    if (problem) violations.push({ guarantee: 7, message: problem, events: [state.head] });
  }
  if (resumed && comparable(resumed) !== comparable(state)) {
    const message = `the state from the snapshot differs from the state from the whole log at seq ${state.head}`;
    violations.push({ guarantee: 7, message, events: [state.head] });
  }
  return violations;
}

/** Which owners committed through which messages is a hint that a snapshot may cut short. */
function comparable({ through: _, ...state }: RunState): string {
  return canonicalJson(JSON.parse(JSON.stringify(state)) as Json);
}

/** What a provider would refuse in the request that is next, looking at the entries from a place on. */
function badRequest({ transcript: { tail } }: RunState, from: number): string | undefined {
  const last = tail.at(-1);
  if (last?.role === 'assistant') return 'a model call would follow an assistant message';
  for (let at = from; at < tail.length; at++) {
    const entry = tail[at] as Entry;
    if (entry.role === 'tool' && tail[at - 1]?.role !== 'assistant')
      return 'tool results would stand without their calls';
  }
  return undefined;
}

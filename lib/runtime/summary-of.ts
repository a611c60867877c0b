import type { OpenInterrupt } from '../core/state.ts';

const LONGEST = 500;

/** What an interrupt is about, on a line for lists and notices. */
export function summaryOf(interrupt: OpenInterrupt): string | undefined {
  const { summary, question, name, child, error } = interrupt;
  const started = child && `${child.agent} in ${child.runId}`;
  const words = summary ?? question ?? name ?? started ?? met(interrupt) ?? error?.message;
  return words !== undefined && words.length > LONGEST ? `${words.slice(0, LONGEST - 1)}…` : words;
}

/** The limit that was met, or the revisions that differ. */
function met({ facts }: OpenInterrupt): string | undefined {
  const value = facts && 'value' in facts ? (facts.value as Facts) : {};
  const { limit, used, allowed, started, deployed } = value;
  if (limit !== undefined) return `${limit}: ${used} of ${allowed} used`;
  if (!started || !deployed) return undefined;
  return `started as revision ${started.revision}, deployed is ${deployed.revision}`;
}

interface Facts {
  limit?: string;
  used?: number;
  allowed?: number;
  started?: { revision: string };
  deployed?: { revision: string };
}

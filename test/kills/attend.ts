import { setTimeout as wait } from 'node:timers/promises';
import type { Desk } from '../../functions/agents/research/desk/desk.ts';
import { type Event, type EventOf, isTerminal } from '../../lib/core/events.ts';
import type { MortalServer } from './mortal-server.ts';

/** A decision that the API has said it keeps. */
export interface KeptDecision {
  readonly interruptId: string;
  readonly decision: string;
  readonly by: string;
}

/** What somebody saw and decided who followed a run from its start to its end. */
export interface Attended {
  readonly runId: string;
  readonly events: readonly Event[];
  readonly kept: readonly KeptDecision[];
}

/**
 * Follows a run to its end, as a person who answers each of its interrupts: approvals by the rule of the house, and what
 * is in doubt by a look at the desk's own records.
 */
export async function attend(server: MortalServer, runId: string, desk: Desk): Promise<Attended> {
  const events: Event[] = [];
  const kept: KeptDecision[] = [];
  try {
    while (!isTerminal(events.at(-1)?.type ?? 'run_started')) {
      const more = await readOn(server, runId, events.at(-1)?.seq ?? -1);
      events.push(...more);
      for (const event of more) {
        if (event.type === 'interrupted') kept.push(await decide(server, runId, event, desk));
      }
    }
  } catch (cause) {
    throw new Error(`${runId} was followed as far as ${JSON.stringify(events.slice(-3))}`, { cause });
  }
  return { runId, events, kept };
}

async function readOn(server: MortalServer, runId: string, after: number): Promise<Event[]> {
  const path = `/runs/${runId}/events?after=${after}&limit=500&wait=20`;
  const { status, body } = await server.call<{ events: Event[] }>(path);
  if (status !== 200) throw new Error(`expected 200 for ${path}, got ${status}: ${JSON.stringify(body)}`);
  return body.events;
}

async function decide(
  server: MortalServer,
  runId: string,
  interrupt: EventOf<'interrupted'>,
  desk: Desk,
): Promise<KeptDecision> {
  const { interruptId } = interrupt;
  const { decision, ...rest } = await judge(interrupt, desk);
  const path = `/runs/${runId}/interrupts/${interruptId}/decision`;
  const answer = await server.call(path, { decision, by: PERSON, ...rest });
  if (answer.status !== 200)
    throw new Error(`expected 200 for ${decision} on ${interruptId}, got ${JSON.stringify(answer)}`);
  return { interruptId, decision, by: PERSON };
}

const PERSON = 'ines';

interface Judgement {
  decision: string;
  value?: unknown;
}

async function judge(interrupt: EventOf<'interrupted'>, desk: Desk): Promise<Judgement> {
  const { reason, seq, idempotencyKey: key = '', retryAfter } = interrupt;
  if (reason === 'awaiting_approval') return { decision: seq % 4 === 0 ? 'deny' : 'approve' };
  if (reason !== 'in_doubt')
    throw new Error(`expected an approval or a doubt, got ${JSON.stringify(interrupt)}`);
  // What the desk does not know may still be on its way to it until then.
  const left = Date.parse(retryAfter ?? '') - Date.now();
  if (!madeUnder(key, desk) && left > 0) await wait(left + 1);
  const made = madeUnder(key, desk);
  if (made) return { decision: 'happened', value: made };
  return { decision: seq % 3 === 0 ? 'fail' : 'retry' };
}

/** What the desk has made of the call with this key. */
function madeUnder(key: string, desk: Desk): unknown {
  return [...desk.tickets.withKey(key), ...desk.tickets.pages()].find((row) => row.key === key);
}

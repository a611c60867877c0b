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
  while (!isTerminal(events.at(-1)?.type ?? 'run_started')) {
    const after = events.at(-1)?.seq ?? -1;
    const path = `/runs/${runId}/events?after=${after}&limit=500&wait=20`;
    const { status, body } = await server.call<{ events: Event[] }>(path);
    if (status !== 200) throw new Error(`expected 200 for ${path}, got ${status}: ${JSON.stringify(body)}`);
    events.push(...body.events);
    for (const event of body.events) {
      if (event.type !== 'interrupted') continue;
      const { interruptId } = event;
      const said = { by: 'ines', ...(await judge(event, desk)) };
      const answer = await server.call<{ decision: string; by: string }>(
        `/runs/${runId}/interrupts/${interruptId}/decision`,
        said,
      );
      if (answer.status !== 200)
        throw new Error(`expected 200 for ${said.decision} on ${interruptId}, got ${JSON.stringify(answer)}`);
      kept.push({ interruptId, decision: said.decision, by: said.by });
    }
  }
  return { runId, events, kept };
}

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
  if (!pageWith(key, desk) && left > 0) await wait(left + 1);
  const page = pageWith(key, desk);
  if (page) return { decision: 'happened', value: page };
  return { decision: seq % 3 === 0 ? 'fail' : 'retry' };
}

function pageWith(key: string, desk: Desk): unknown {
  return desk.tickets.pages().find((page) => page.key === key);
}

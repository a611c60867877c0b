import { decisionsFor, resumption, type SlotContent } from '../core/decisions.ts';
import { entryDrafts } from '../core/entries.ts';
import { type Draft, EVENT_VERSION, type Event } from '../core/events.ts';
import { fold } from '../core/fold.ts';
import { payloadOf } from '../core/payload.ts';
import type { RunState } from '../core/state.ts';
import type { Decision } from '../ports/decisions.ts';
import { signalEnds } from './resume-due.ts';
import { instant } from './surroundings.ts';
import { commit, type Visit } from './visit.ts';

/**
 * Makes events of what the outside has put into the inbox and into the slots of open interrupts. True when the view has
 * changed, by this commit or by another's.
 */
export async function foldNews(visit: Visit): Promise<boolean> {
  const slots = await readSlots(visit);
  const inbox = await readInbox(visit, provisional(visit, slots));
  const drafts = [...slots, ...inbox.drafts];
  // An entry whose event could not be committed is still to be read: the run must not end before it.
  const folded = drafts.length === 0 || (await commit(visit, drafts));
  if (folded) visit.readTo = inbox.readTo;
  visit.news = !folded;
  return drafts.length > 0;
}

/** The state as it will be once the drafts are committed. */
function provisional(visit: Visit, drafts: readonly Draft[], from: RunState = visit.state): RunState {
  const at = instant(visit.rt.world.clock.now());
  const events = drafts.map(
    (draft, index) => ({ v: EVENT_VERSION, seq: from.head + 1 + index, at, ...draft }) as Event,
  );
  return fold(events, from);
}

async function readSlots(visit: Visit): Promise<Draft[]> {
  const { decisions } = visit.rt.world;
  if (visit.state.cancel) return [];
  const asking = visit.state.interrupts.filter((each) => decisionsFor(each.reason).length > 0);
  const slots = await Promise.all(asking.map((each) => decisions.get(visit.run, each.interruptId)));
  return asking.flatMap((interrupt, index) => {
    const slot = slots[index];
    return slot ? resumption(interrupt, slotContent(slot)) : [];
  });
}

/** What a slot holds, as the fold needs it. */
export function slotContent(slot: Decision): SlotContent {
  const value = payloadOf(slot, 'value');
  return {
    decision: slot.decision,
    by: slot.by,
    at: slot.at,
    ...(slot.note !== undefined && { note: slot.note }),
    ...(slot.limits && { limits: slot.limits }),
    ...(slot.accepted && { accepted: slot.accepted }),
    ...(value && { value }),
  };
}

/** An id counts once: what comes again becomes no event. */
async function readInbox(visit: Visit, from: RunState): Promise<{ drafts: Draft[]; readTo: number }> {
  let readTo = Math.max(visit.readTo, from.inbox.next);
  const entries = await visit.rt.world.inbox.read(visit.run, readTo);
  const drafts: Draft[] = [];
  let state = from;
  for (const entry of entries) {
    if (entry.kind === 'closed') break;
    readTo = entry.number + 1;
    if (state.inbox.ids.includes(entryId(entry))) continue;
    const made = entryDrafts(state, entry);
    const ends = await signalEnds(visit, provisional(visit, made, state));
    drafts.push(...made, ...ends);
    state = provisional(visit, [...made, ...ends], state);
  }
  return { drafts, readTo };
}

/** Ids of different kinds do not meet. */
export function entryId(entry: { kind: string; id: string }): string {
  return `${entry.kind}:${entry.id}`;
}

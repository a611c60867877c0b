import { decisionsFor, resumption, type SlotContent } from '../core/decisions.ts';
import type { Draft } from '../core/events.ts';
import { payloadOf } from '../core/payload.ts';
import type { Decision } from '../ports/decisions.ts';
import { commit, type Visit } from './visit.ts';

/**
 * Makes events of what the outside has put into the inbox and into the slots of open interrupts. True when the view has
 * changed, by this commit or by another's.
 */
export async function foldNews(visit: Visit): Promise<boolean> {
  const drafts = await readSlots(visit);
  await readInbox(visit);
  visit.news = false;
  if (drafts.length === 0) return false;
  if (!(await commit(visit, drafts))) visit.news = true;
  return true;
}

async function readSlots(visit: Visit): Promise<Draft[]> {
  const { decisions } = visit.rt.world;
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
    ...(value && { value }),
  };
}

/** Moves the read position of this visit; an inbox holds nothing but its start and its end so far. */
async function readInbox(visit: Visit): Promise<void> {
  const from = Math.max(visit.readTo, visit.state.inbox.next);
  const entries = await visit.rt.world.inbox.read(visit.run, from);
  const unread = entries.filter((entry) => entry.kind !== 'closed');
  visit.readTo = from + unread.length;
}

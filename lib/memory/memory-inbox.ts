import type { Inbox, InboxEntry } from '../ports/inbox.ts';
import { perRun } from './per-run.ts';

/** The inbox as a map from number to JSON text. */
export function memoryInbox(): Inbox {
  const inboxes = perRun(() => new Map<number, string>());

  return {
    async append(run, entry) {
      const entries = inboxes(run);
      if (entries.has(entry.number)) return 'taken';
      entries.set(entry.number, JSON.stringify(entry));
      return 'appended';
    },

    async read(run, from) {
      const entries = [...inboxes(run)].filter(([number]) => number >= from);
      return entries.sort(([a], [b]) => a - b).map(([, text]) => JSON.parse(text) as InboxEntry);
    },
  };
}

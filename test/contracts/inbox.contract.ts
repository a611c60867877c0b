import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Inbox, InboxEntry } from '../../lib/ports/inbox.ts';
import { AWKWARD_VALUES, expectIdentical } from './awkward-values.ts';
import { freshRun, type Open } from './open.ts';

/** What every inbox does. */
export function inboxContract(name: string, open: Open<'inbox'>): void {
  describe(`inbox: ${name}`, () => {
    let inbox: Inbox;
    let close: () => Promise<void>;

    beforeEach(async () => {
      const opened = await open();
      inbox = opened.world.inbox;
      close = opened.close;
    });
    afterEach(() => close());

    test('an inbox that nobody wrote to is empty', async () => {
      expect(await inbox.read(freshRun(), 0)).toEqual([]);
    });

    test('entries are read in the order of their numbers, from a number on', async () => {
      const run = freshRun();
      for (let number = 0; number < 12; number++) {
        expect(await inbox.append(run, entryOf(number))).toBe('appended');
      }
      expect((await inbox.read(run, 0)).map(({ number }) => number)).toEqual(
        Array.from({ length: 12 }, (_, i) => i),
      );
      expect(await inbox.read(run, 10)).toEqual([entryOf(10), entryOf(11)]);
      expect(await inbox.read(run, 12)).toEqual([]);
    });

    test('a number that is taken stays as it is', async () => {
      const run = freshRun();
      await inbox.append(run, entryOf(0, 'first'));
      expect(await inbox.append(run, entryOf(0, 'second'))).toBe('taken');
      expect(await inbox.append(run, entryOf(0, 'first'))).toBe('taken');
      expect(await inbox.read(run, 0)).toEqual([entryOf(0, 'first')]);
    });

    test('of 20 writers of one number exactly one wins, and its entry is the one that is read', async () => {
      const run = freshRun();
      const entries = Array.from({ length: 20 }, (_, i) => entryOf(3, `writer ${i}`));
      const answers = await Promise.all(entries.map((entry) => inbox.append(run, entry)));
      expect(answers.filter((answer) => answer === 'appended')).toHaveLength(1);
      expect(await inbox.read(run, 0)).toEqual([entries[answers.indexOf('appended')]]);
    });

    test('runs and tenants have inboxes of their own', async () => {
      const run = freshRun();
      await inbox.append(run, entryOf(0));
      expect(await inbox.append({ ...run, tenant: 'other' }, entryOf(0, 'theirs'))).toBe('appended');
      expect(await inbox.append(freshRun(), entryOf(0, 'another'))).toBe('appended');
      expect(await inbox.read(run, 0)).toEqual([entryOf(0)]);
    });

    test.each(Object.keys(AWKWARD_VALUES))('%s comes back identical', async (which) => {
      const run = freshRun();
      const entry = { ...entryOf(0), body: { value: AWKWARD_VALUES[which] } };
      await inbox.append(run, entry);
      expectIdentical(await inbox.read(run, 0), [entry]);
    });
  });
}

function entryOf(number: number, id = `id ${number}`): InboxEntry {
  return { number, id, kind: 'start', at: '2026-01-01T00:00:00.000Z', body: { from: id } };
}

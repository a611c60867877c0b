import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Notice, Notifier } from '../../lib/ports/notifier.ts';
import { expectIdentical } from './awkward-values.ts';
import type { Opened } from './open.ts';

/** A world whose notices can be read back. */
export interface WithNotices extends Opened<'notifier'> {
  notices(): Promise<Notice[]>;
}

/** What every notifier does. */
export function notifierContract(name: string, open: () => Promise<WithNotices>): void {
  describe(`notifier: ${name}`, () => {
    let opened: WithNotices;
    let notifier: Notifier;

    beforeEach(async () => {
      opened = await open();
      notifier = opened.world.notifier;
    });
    afterEach(() => opened.close());

    test('notices are told whole and in order', async () => {
      const interrupted = {
        ...noticeOf('one'),
        interruptId: 'int-1',
        reason: 'awaiting_approval',
        tool: 'create_ticket',
        summary: 'a "title"\nof two lines\u0000\ud800',
      };
      const ended = { ...noticeOf('two'), type: 'ended', status: 'completed' } as const;
      await notifier.tell(interrupted);
      await notifier.tell(ended);
      expectIdentical(await opened.notices(), [interrupted, ended]);
    });

    test('a notice that is told again is heard at least once', async () => {
      const notices = ['one', 'two', 'one', 'one'].map(noticeOf);
      await Promise.all(notices.map((notice) => notifier.tell(notice)));
      const ids = (await opened.notices()).map(({ id }) => id);
      expect(new Set(ids)).toEqual(new Set(['one', 'two']));
    });
  });
}

function noticeOf(id: string): Notice {
  const at = '2026-01-01T00:00:00.000Z';
  return { id, type: 'interrupted', tenant: 'tenant', runId: 'run', agent: 'research', at };
}

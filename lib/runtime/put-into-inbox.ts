import { isEnded } from '../core/state.ts';
import type { InboxEntry } from '../ports/inbox.ts';
import type { RunKey } from '../ports/run-key.ts';
import { entryId } from './fold-news.ts';
import { knownRun } from './known-run.ts';
import { putFromOutside } from './put-from-outside.ts';
import { runEnded } from './run-ended.ts';
import type { Runtime } from './runtime.ts';
import { instant } from './surroundings.ts';

/**
 * Puts something into a run's inbox at the next number. Whoever wins a number wins: an entry came before the end, and
 * becomes an event, or it is refused. The same id again, among the last 100, is accepted and counts once.
 *
 * @throws StepfoldError `unknown_run`; `run_ended`, naming the end.
 */
export async function putIntoInbox(
  rt: Runtime,
  run: RunKey,
  entry: Pick<InboxEntry, 'kind' | 'id' | 'body'>,
): Promise<void> {
  for (;;) {
    const state = await knownRun(rt, run);
    const entries = await rt.world.inbox.read(run, state.inbox.next);
    const id = entryId(entry);
    if (state.inbox.ids.includes(id) || entries.some((each) => entryId(each) === id)) return;
    if (isEnded(state) || entries.some((each) => each.kind === 'closed')) {
      throw runEnded(run, state);
    }
    const number = Math.max(state.inbox.next, (entries.at(-1)?.number ?? -1) + 1);
    const at = instant(rt.world.clock.now());
    const put = await putFromOutside(rt, run, () => rt.world.inbox.append(run, { ...entry, number, at }));
    if (put === 'appended') return;
  }
}

import { join } from 'node:path';
import type { RunKey } from '../ports/run-key.ts';
import type { Clock, World } from '../ports/world.ts';
import { createAlarms } from './alarms.ts';
import { prepareDataDirectory } from './data-directory.ts';
import { lockDirectory } from './directory-lock.ts';
import { fileBlobs } from './file-blobs.ts';
import { openFileNotifier } from './file-notifier.ts';
import { knownEnds } from './known-ends.ts';
import { localTimers } from './local-timers.ts';
import { type Handler, localWakes } from './local-wakes.ts';
import { openStore } from './sqlite-store.ts';
import { systemClock } from './system-clock.ts';
import { systemIds } from './system-ids.ts';

export interface LocalWorldOptions {
  /** The data directory; it is made where it is missing. */
  dir: string;
  /** @default the clock of the machine */
  clock?: Clock;
  /** Is given a short line for each new notice. @default nothing is said */
  notify?: (line: string) => void;
  /** How many handlers work at once. @default 16 */
  concurrency?: number;
}

/** A world in one data directory, used by one process. */
export interface LocalWorld {
  readonly world: World;
  /** Begins to hand wakes to `handler`, at most `concurrency` at once. One that rejects gets the wake again, later. */
  start(handler: Handler): void;
  /** The runs whose wakes may have died with an earlier process: whoever starts the workers wakes them. */
  unfinished(): RunKey[];
  /**
   * Hands out no more wakes, waits for the handlers that are at work, then frees the directory.
   *
   * @param options.waitMs how long it waits, in ms. @default 10_000
   * @throws StepfoldError `close_timed_out` if some are still at work; the directory then stays locked.
   */
  close(options?: { waitMs?: number }): Promise<void>;
}

/**
 * Opens the embedded world.
 *
 * @throws StepfoldError `data_in_use`, `data_newer`, `data_older`, `data_damaged`, `data_not_writable`, `data_not_directory`.
 */
export function openLocalWorld(options: LocalWorldOptions): LocalWorld {
  const { dir, clock = systemClock, notify = () => {}, concurrency = 16 } = options;
  const blobs = join(dir, 'blobs');
  const ids = systemIds(clock);
  prepareDataDirectory(dir, blobs);
  const closers: (() => void)[] = [];
  const closeAll = () => {
    for (let close = closers.pop(); close; close = closers.pop()) close();
  };
  try {
    const lock = lockDirectory(dir, { clock, ids });
    closers.push(lock.release);
    const store = openStore(join(dir, 'stepfold.db'));
    closers.push(store.close);
    const notifier = openFileNotifier(join(dir, 'notifications.jsonl'), notify);
    closers.push(notifier.close);
    const alarms = createAlarms(clock);
    closers.push(alarms.close);
    const wakes = localWakes({ clock, ids, alarms, concurrency });
    const { index, inbox, decisions, unfinished } = store;
    return {
      world: {
        // The lock makes this process the only writer.
        log: knownEnds(store.log),
        index,
        inbox,
        decisions,
        blobs: fileBlobs(blobs),
        wakes,
        timers: localTimers({ alarms, wakes }),
        notifier,
        clock,
        ids,
        fence: { margin: 0, lock: { id: lock.id, since: lock.since } },
      },
      start: wakes.start,
      unfinished,
      async close({ waitMs = 10_000 } = {}) {
        await wakes.close(waitMs);
        closeAll();
      },
    };
  } catch (error) {
    closeAll();
    throw error;
  }
}

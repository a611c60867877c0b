import type { EventLog } from '../../lib/ports/event-log.ts';
import type { World } from '../../lib/ports/world.ts';
import { openStoredSizes, type StoredSizes } from './stored-sizes.ts';

/** What went through the ports of a world. */
export interface Counts {
  /** Durable commits to the database: the writes of all ports, each of which is a transaction when a run is alone. */
  commits: number;
  /** Objects put into the blob store. */
  blobPuts: number;
  /** Stored bytes of the manifests and of the commits after them that loads have read. */
  loadedBytes: number;
  /** Bytes of everything that was read, those included: ranges of the log, slots, inbox, blobs. */
  readBytes: number;
}

export interface Meter {
  readonly counts: Counts;
  /** Watches the ports. */
  wrap(world: World): World;
  /** Must come before the first read of a run: the meter looks into the database itself. */
  open(dir: string): void;
  close(): void;
}

/** Counts writes by the calls of the ports, and reads of the log by the bytes that the rows have in the database file. */
export function openMeter(): Meter {
  const counts: Counts = { commits: 0, blobPuts: 0, loadedBytes: 0, readBytes: 0 };
  let sizes: StoredSizes | undefined;

  function wrote<A extends unknown[], R>(write: (...args: A) => R) {
    return (...args: A): R => {
      counts.commits++;
      return write(...args);
    };
  }

  function watchLog(log: EventLog): EventLog {
    return {
      append: wrote(log.append),
      putManifest: wrote(log.putManifest),
      putEvidence: wrote(log.putEvidence),
      async load(run, hint) {
        const loaded = await log.load(run, hint);
        const bytes = (sizes?.manifest(run) ?? 0) + (sizes?.commits(run, loaded.commits) ?? 0);
        counts.loadedBytes += bytes;
        counts.readBytes += bytes;
        return loaded;
      },
      async read(run, range) {
        const commits = await log.read(run, range);
        counts.readBytes += sizes?.commits(run, commits) ?? 0;
        return commits;
      },
      evidence: log.evidence,
    };
  }

  return {
    counts,
    wrap(world) {
      const { log, index, inbox, decisions, blobs } = world;
      return {
        ...world,
        log: watchLog(log),
        index: {
          ...index,
          put: wrote(index.put),
          moveWakeAt: wrote(index.moveWakeAt),
          stall: wrote(index.stall),
        },
        inbox: {
          append: wrote(inbox.append),
          async read(run, from) {
            const entries = await inbox.read(run, from);
            counts.readBytes += JSON.stringify(entries).length;
            return entries;
          },
        },
        decisions: {
          put: wrote(decisions.put),
          async get(run, interruptId) {
            const decision = await decisions.get(run, interruptId);
            counts.readBytes += JSON.stringify(decision ?? '').length;
            return decision;
          },
        },
        blobs: {
          put(run, sha256, bytes) {
            counts.blobPuts++;
            return blobs.put(run, sha256, bytes);
          },
          async get(run, sha256) {
            const bytes = await blobs.get(run, sha256);
            counts.readBytes += bytes?.length ?? 0;
            return bytes;
          },
        },
      };
    },
    open(dir) {
      sizes = openStoredSizes(dir);
    },
    close: () => sizes?.close(),
  };
}

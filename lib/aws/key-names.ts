import { createHash } from 'node:crypto';
import { StepfoldError } from '../core/errors.ts';
import type { RunKey } from '../ports/run-key.ts';

/** The name and type of one attribute of a key: text or number. */
interface KeyPart {
  readonly name: string;
  readonly type: 'S' | 'N';
}

/** The key of a table or of an index. */
interface Key {
  readonly partition: KeyPart;
  readonly sort?: KeyPart;
}

/** A table as a stack creates it; indexes project everything. */
interface Table extends Key {
  readonly indexes: Readonly<Record<string, Key>>;
}

const run: KeyPart = { name: 'p', type: 'S' };
const created: KeyPart = { name: 'c', type: 'S' };

/** The tables. Names are short because every item pays for them, and each table has one class of writers. */
export const TABLES = {
  /** Commits under the seq of their first event, the manifest above them, evidence below zero. */
  log: { partition: run, sort: { name: 's', type: 'N' }, indexes: {} },
  /** Entries under their number. */
  inbox: { partition: run, sort: { name: 's', type: 'N' }, indexes: {} },
  /** Decisions under the id of their interrupt. */
  decisions: { partition: run, sort: { name: 's', type: 'S' }, indexes: {} },
  /** Headers. An item without the key of an index is not in it. */
  runs: {
    partition: run,
    indexes: {
      'by-tenant': { partition: { name: 't', type: 'S' }, sort: created },
      'by-status': { partition: { name: 'u', type: 'S' }, sort: created },
      'by-wake': { partition: { name: 'k', type: 'S' }, sort: { name: 'w', type: 'N' } },
    },
  },
} as const satisfies Record<string, Table>;

/** The sort key of a run's manifest: above the seq of every event, and two bytes long. */
export const MANIFEST_SORT = 1e15;

/** How many partitions hold the runs of one tenant in the lists, so that one tenant's starts are not bound to one's throughput. */
export const LIST_SHARDS = 4;

/** How many partitions hold the wake times of all tenants. */
export const WAKE_SHARDS = 16;

const RUN_ID = /^[A-Za-z0-9_-]{1,64}$/;
const LONGEST_TENANT = 256;

/**
 * The partition of a run. A run id has no `#`, so that no two runs share a partition whatever their tenants are called.
 *
 * @throws StepfoldError `bad_key` for a run id or a tenant that no key can be made of, as a forged message may bring.
 */
export function partitionOf({ tenant, runId }: RunKey): string {
  if (RUN_ID.test(runId) && tenant !== '' && Buffer.byteLength(tenant) <= LONGEST_TENANT) {
    return `${tenant}#${runId}`;
  }
  const got = JSON.stringify([tenant, runId]).slice(0, 200);
  throw new StepfoldError(
    'bad_key',
    `expected a tenant of 1 to ${LONGEST_TENANT} bytes and a run id of letters, digits, _ and -; got ${got}`,
  );
}

/** The run whose partition this is. */
export function runOf(partition: string): RunKey {
  const end = partition.lastIndexOf('#');
  return { tenant: partition.slice(0, end), runId: partition.slice(end + 1) };
}

/** The shard of a run among `count`: always the same. */
export function shardOf({ runId }: RunKey, count: number): number {
  return createHash('sha256').update(runId).digest().readUInt32BE() % count;
}

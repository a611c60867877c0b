import { isStepfoldError } from '../core/errors.ts';
import { sha256 } from '../core/hash.ts';
import type { Commit, EventLog, Evidence, Manifest } from '../ports/event-log.ts';
import type { RunKey } from '../ports/run-key.ts';
import type { DynamoTable } from './dynamo-table.ts';
import { MANIFEST_SORT, partitionOf } from './key-names.ts';
import { packHash, packUlid, packUuid, unpackHash, unpackUlid, unpackUuid } from './packed-ids.ts';
import { type Item, textOf, withText } from './stored-item.ts';

/** What the first query of a load brings at most: the manifest and the commits of 20 steps, with some to spare. */
const FIRST_PAGE = 48;

/** The greatest sort key that is below the manifest's. */
const LAST_SEQ = MANIFEST_SORT - 1;

/** The event log in DynamoDB: one item per commit, one partition per run, no transactions. */
export function dynamoEventLog(table: DynamoTable): EventLog {
  async function commits(run: RunKey, from: number, to: number): Promise<Commit[]> {
    if (to < from) return [];
    const { items } = await table.down({ partition: partitionOf(run), from, to });
    return items.reverse().map(toCommit);
  }

  return {
    async append(run, commit) {
      return (await table.insert(itemOf(run, commit))) === 'inserted' ? 'appended' : 'conflict';
    },

    async load(run, hint = -1) {
      const from = Math.max(0, Math.min(hint, LAST_SEQ - 1) + 1);
      const partition = partitionOf(run);
      const first = await table.down({ partition, from, to: MANIFEST_SORT, limit: FIRST_PAGE });
      const top = first.items.find((item) => sortOf(item) === MANIFEST_SORT);
      const manifest = top && toManifest(top);
      const base = manifest ? manifest.seq + 1 : 0;
      const lowest = first.items.at(-1);
      const reached = first.complete || !lowest ? from : sortOf(lowest);
      const seen = first.items.filter((item) => item !== top && sortOf(item) >= base);
      const missed = await commits(run, base, Math.min(reached - 1, LAST_SEQ));
      return { ...(manifest && { manifest }), commits: [...missed, ...seen.reverse().map(toCommit)] };
    },

    async read(run, { after, limit }) {
      // Without gaps in the seqs this range holds exactly the commits that begin in it; one may have begun before.
      const found = await commits(run, after + 1, Math.min(after + limit, LAST_SEQ));
      if (after < 0 || found[0]?.seq === after + 1) return found;
      const before = await table.down({ partition: partitionOf(run), from: 0, to: after, limit: 1 });
      const straddling = before.items
        .map(toCommit)
        .filter(({ seq, events }) => seq + events.length - 1 > after);
      return [...straddling, ...found];
    },

    async putManifest(run, { seq, fold, state }) {
      const key = { p: { S: partitionOf(run) }, s: { N: `${MANIFEST_SORT}` } };
      const item = { ...key, q: { N: `${seq}` }, f: { N: `${fold}` } };
      const whole = shortcut(() => withText(item, 'e', JSON.stringify(state)));
      if (!whole) return;
      await table.put(whole, {
        ConditionExpression: 'attribute_not_exists(p) OR q <= :q',
        ExpressionAttributeValues: { ':q': { N: `${seq}` } },
      });
    },

    async putEvidence(run, evidence) {
      const key = { p: { S: partitionOf(run) }, s: { N: `${evidenceSort(evidence)}` } };
      await table.insert(withText(key, 'e', JSON.stringify(evidence)));
    },

    async evidence(run) {
      const { items } = await table.down({ partition: partitionOf(run), from: -(2 ** 48), to: -1 });
      const kept = items.map((item) => JSON.parse(textOf(item.e) ?? '') as Evidence);
      return kept.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
    },
  };
}

function itemOf(run: RunKey, { seq, events, owner, messageId, hash }: Commit): Item {
  const text = JSON.stringify(events);
  const item: Item = {
    p: { S: partitionOf(run) },
    s: { N: `${seq}` },
    o: packUlid(owner),
    m: packUuid(messageId),
    h: packHash(hash, text),
  };
  return withText(item, 'e', text);
}

function toCommit(item: Item): Commit {
  const text = textOf(item.e) ?? '';
  return {
    seq: sortOf(item),
    events: JSON.parse(text) as unknown[],
    owner: unpackUlid(item.o ?? { S: '' }),
    messageId: unpackUuid(item.m ?? { S: '' }),
    hash: unpackHash(item.h ?? { S: '' }, text),
  };
}

/** A manifest that cannot be read is only a lost shortcut. */
function toManifest(item: Item): Manifest | undefined {
  try {
    return { seq: Number(item.q?.N), fold: Number(item.f?.N), state: JSON.parse(textOf(item.e) ?? '') };
  } catch {
    return undefined;
  }
}

/** A manifest that no item can hold is a shortcut that the run goes without. */
function shortcut(make: () => Item): Item | undefined {
  try {
    return make();
  } catch (error) {
    if (isStepfoldError(error, 'item_too_large')) return undefined;
    throw error;
  }
}

function sortOf(item: Item): number {
  return Number(item.s?.N);
}

/** A number below zero for each call, attempt and owner. */
function evidenceSort({ callId, attempt, owner }: Evidence): number {
  return -1 - Number.parseInt(sha256(JSON.stringify([callId, attempt, owner])).slice(0, 11), 16);
}

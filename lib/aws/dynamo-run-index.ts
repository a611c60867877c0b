import { StepfoldError } from '../core/errors.ts';
import { formatCursor, parseCursor } from '../core/list-cursor.ts';
import type { Header, HeaderQuery, RunIndex, StallMark } from '../ports/run-index.ts';
import type { RunKey } from '../ports/run-key.ts';
import type { DynamoTable } from './dynamo-table.ts';
import { LIST_SHARDS, partitionOf, runOf, shardOf, WAKE_SHARDS } from './key-names.ts';
import { type Item, textOf, withText } from './stored-item.ts';

/** How many rows a request looks through where it is narrowed to an agent, which no index knows. */
const FILTERED_PAGE = 250;

/** Header rows in DynamoDB: lists by tenant and by status and wake times are indexes over shards. */
export function dynamoRunIndex(table: DynamoTable): RunIndex {
  return {
    async put(header) {
      const { values, mark } = valuesOf(header);
      const names = Object.keys(values).filter((name) => name !== 'p' && name !== 'c');
      const gone = [...(values.w ? [] : ['w']), ...(mark ? [] : ['x'])];
      const set = [...names.map((name) => `${name} = :${name}`), 'c = if_not_exists(c, :c)'];
      return table.update({
        Key: keyOf(header),
        UpdateExpression: `SET ${set.join(', ')}${gone.length > 0 ? ` REMOVE ${gone.join(', ')}` : ''}`,
        ConditionExpression: 'attribute_not_exists(p) OR q <= :q',
        ExpressionAttributeValues: Object.fromEntries(
          [...names, 'c'].map((name) => [`:${name}`, values[name] as Item[string]]),
        ),
      });
    },

    async get(run) {
      const item = await table.get(keyOf(run));
      return item && toHeader(item);
    },

    async list({ tenant, agent, status, limit, cursor }) {
      const before = cursor === undefined ? undefined : placeOf(cursor);
      const [index, partition] = status === undefined ? ['by-tenant', 't'] : ['by-status', 'u'];
      const pages = shards(LIST_SHARDS).map((shard) =>
        table.search(
          {
            IndexName: index,
            KeyConditionExpression: `${partition} = :of${before === undefined ? '' : ' AND c < :before'}`,
            ExpressionAttributeValues: {
              ':of': { S: status === undefined ? `${tenant}#${shard}` : `${tenant}#${status}#${shard}` },
              ...(before !== undefined && { ':before': { S: before } }),
              ...(agent !== undefined && { ':a': { S: agent } }),
            },
            ...(agent !== undefined && { FilterExpression: 'a = :a' }),
            ScanIndexForward: false,
            Limit: agent === undefined ? limit + 1 : FILTERED_PAGE,
          },
          limit + 1,
        ),
      );
      const rows = (await Promise.all(pages)).flat().sort((a, b) => (createdOf(a) < createdOf(b) ? 1 : -1));
      const headers = rows.slice(0, limit).map(toHeader);
      const last = headers.at(-1);
      return last && rows.length > limit ? { headers, cursor: formatCursor(last) } : { headers };
    },

    async due(now, limit) {
      const pages = shards(WAKE_SHARDS).map((shard) =>
        table.search(
          {
            IndexName: 'by-wake',
            KeyConditionExpression: 'k = :k AND w <= :now',
            ExpressionAttributeValues: { ':k': { S: `${shard}` }, ':now': { N: `${now}` } },
            Limit: limit,
          },
          limit,
        ),
      );
      const rows = (await Promise.all(pages)).flat().sort((a, b) => Number(a.w?.N) - Number(b.w?.N));
      return rows.slice(0, limit).map(toHeader);
    },

    async moveWakeAt(run, seq, wakeAt) {
      return table.update({
        Key: keyOf(run),
        UpdateExpression: wakeAt === undefined ? 'REMOVE w' : 'SET w = :w',
        ConditionExpression: 'q = :q',
        ExpressionAttributeValues: {
          ':q': { N: `${seq}` },
          ...(wakeAt !== undefined && { ':w': { N: `${wakeAt}` } }),
        },
      });
    },

    async stall(run, seq, mark) {
      const { x } = withText({}, 'x', JSON.stringify(mark)) as { x: Item[string] };
      return table.update({
        Key: keyOf(run),
        UpdateExpression: 'SET x = :x, u = :u',
        ConditionExpression: 'q = :q',
        ExpressionAttributeValues: { ':q': { N: `${seq}` }, ':x': x, ':u': { S: statusKey(run, 'stalled') } },
      });
    },
  };
}

/** What keys and conditions are made of has an attribute; the rest of the row is JSON. */
function valuesOf(header: Header): { values: Item; mark: boolean } {
  const { tenant, runId, seq, agent, createdAt, wakeAt, stalled, ...rest } = header;
  const run = { tenant, runId };
  const keys: Item = {
    p: { S: partitionOf(run) },
    q: { N: `${seq}` },
    a: { S: agent },
    c: { S: `${createdAt}#${runId}` },
    t: { S: `${tenant}#${shardOf(run, LIST_SHARDS)}` },
    u: { S: statusKey(run, stalled ? 'stalled' : rest.status) },
    k: { S: `${shardOf(run, WAKE_SHARDS)}` },
    ...(wakeAt !== undefined && { w: { N: `${wakeAt}` } }),
  };
  const marked = stalled ? withText(keys, 'x', JSON.stringify(stalled)) : keys;
  return { values: withText(marked, 'd', JSON.stringify(rest)), mark: stalled !== undefined };
}

function toHeader(item: Item): Header {
  const run = runOf(item.p?.S ?? '');
  const mark = textOf(item.x);
  return {
    ...run,
    ...(JSON.parse(textOf(item.d) ?? '') as Pick<Header, 'status' | 'updatedAt' | 'interrupts' | 'labels'>),
    agent: item.a?.S ?? '',
    seq: Number(item.q?.N),
    createdAt: createdOf(item).slice(0, -run.runId.length - 1),
    ...(item.w?.N !== undefined && { wakeAt: Number(item.w.N) }),
    ...(mark !== undefined && { stalled: JSON.parse(mark) as StallMark }),
  };
}

function keyOf(run: RunKey): Item {
  return { p: { S: partitionOf(run) } };
}

function statusKey(run: RunKey, status: NonNullable<HeaderQuery['status']>): string {
  return `${run.tenant}#${status}#${shardOf(run, LIST_SHARDS)}`;
}

/** Time and run id, by which lists are sorted. */
function createdOf(item: Item): string {
  return item.c?.S ?? '';
}

/** No key is longer than what rows have: DynamoDB would refuse it in its own words. */
function placeOf(cursor: string): string {
  const { createdAt, runId } = parseCursor(cursor);
  const place = `${createdAt}#${runId}`;
  if (place.length <= 100) return place;
  throw new StepfoldError(
    'bad_cursor',
    'expected the cursor of an earlier answer. Ask again without a cursor.',
  );
}

function shards(count: number): number[] {
  return Array.from({ length: count }, (_, shard) => shard);
}

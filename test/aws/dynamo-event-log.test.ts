import { randomBytes } from 'node:crypto';
import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { VARIABLES } from '../../lib/aws/aws-environment.ts';
import { dynamoTable } from '../../lib/aws/dynamo-table.ts';
import { MANIFEST_SORT, partitionOf } from '../../lib/aws/key-names.ts';
import { type Item, sizeOf } from '../../lib/aws/stored-item.ts';
import { sha256 } from '../../lib/core/hash.ts';
import type { Commit, EventLog } from '../../lib/ports/event-log.ts';
import type { RunKey } from '../../lib/ports/run-key.ts';
import { freshRun } from '../contracts/open.ts';
import { type Asked, fault } from './fake-aws.ts';
import { type AwsStage, openAwsStage } from './open-aws.ts';

describe('the event log in DynamoDB', () => {
  let stage: AwsStage;
  let log: EventLog;

  beforeAll(async () => {
    stage = await openAwsStage();
    log = stage.open().world.log;
  });
  afterEach(() => stage.aws.disturb());
  afterAll(() => stage.close());

  /** What is asked of DynamoDB while `work` is done. */
  async function askedBy(work: () => Promise<unknown>): Promise<Asked[]> {
    const before = stage.aws.asked.length;
    await work();
    return stage.aws.asked.slice(before);
  }

  const itemsPut = (asked: readonly Asked[]) => asked.map(({ body }) => JSON.parse(`${body}`).Item);

  async function appendMany(run: RunKey, from: number, to: number, bytes = 10): Promise<void> {
    for (let first = from; first < to; first += 40) {
      const seqs = Array.from({ length: Math.min(40, to - first) }, (_, i) => first + i);
      await Promise.all(seqs.map((seq) => log.append(run, commitOf(seq, noise(bytes)))));
    }
  }

  describe('a load is one consistent query', () => {
    test('that brings manifest and tail, at 2,000 events with a hint as without one', async () => {
      const run = freshRun();
      await appendMany(run, 0, 2_000);
      await log.putManifest(run, { seq: 1_959, fold: 1, state: {} });
      for (const hint of [1_959, 1_900, undefined]) {
        let commits = 0;
        const asked = await askedBy(async () => {
          commits = (await log.load(run, hint)).commits.length;
        });
        expect(asked.map(({ operation }) => operation)).toEqual(['Query']);
        expect(JSON.parse(`${asked[0]!.body}`)).toMatchObject({ ConsistentRead: true, Limit: 48 });
        expect(commits).toBe(40);
      }
    });

    test('and a second one where the tail is longer than a page, or the hint is beyond the manifest', async () => {
      const run = freshRun();
      await appendMany(run, 0, 120);
      const all = Array.from({ length: 120 }, (_, seq) => seq);
      const seqs = async (hint?: number) => (await log.load(run, hint)).commits.map(({ seq }) => seq);
      expect(await seqs()).toEqual(all);
      expect(await seqs(100)).toEqual(all);
      await log.putManifest(run, { seq: 9, fold: 1, state: {} });
      for (const hint of [undefined, 5, 9, 100, 119, 1_000, Number.MAX_SAFE_INTEGER]) {
        expect(await seqs(hint)).toEqual(all.slice(10));
      }
      expect(await askedBy(() => log.load(run))).toHaveLength(2);
    });

    test('and more where a page of 1 MB is full', async () => {
      const run = freshRun();
      await appendMany(run, 0, 60, 60_000);
      await log.putManifest(run, { seq: 1, fold: 1, state: noise(200_000) });
      for (const hint of [undefined, 1]) {
        const { manifest, commits } = await log.load(run, hint);
        expect(manifest?.seq).toBe(1);
        expect(commits.map(({ seq }) => seq)).toEqual(Array.from({ length: 58 }, (_, i) => i + 2));
      }
      const read = await log.read(run, { after: 3, limit: 50 });
      expect(read.map(({ seq }) => seq)).toEqual(Array.from({ length: 50 }, (_, i) => i + 4));
    });

    test('that leaves no gap where others append between its pages', async () => {
      const run = freshRun();
      await appendMany(run, 0, 30, 60_000);
      let next = 30;
      stage.aws.disturb(async ({ operation }, pass) => {
        const answer = await pass();
        if (operation === 'Query') await log.append(run, commitOf(next++, noise(60_000)));
        return answer;
      });
      for (const read of [() => log.read(run, { after: -1, limit: 1_000 }), () => load(run)]) {
        const seqs = (await read()).map(({ seq }) => seq);
        expect(seqs.length).toBeGreaterThanOrEqual(30);
        expect(seqs).toEqual(seqs.map((_, seq) => seq));
      }
    });

    const load = async (run: RunKey) => (await log.load(run)).commits;
  });

  test('a manifest that is damaged is none: the whole log is loaded', async () => {
    const run = freshRun();
    await appendMany(run, 0, 60);
    await log.putManifest(run, { seq: 50, fold: 1, state: {} });
    stage.aws.disturb(async ({ operation }, pass) => {
      const answer = await pass();
      const { Items = [], ...rest } = JSON.parse(`${answer.body}`) as { Items?: Item[] };
      const damaged = Items.map((item) =>
        item.s?.N === `${MANIFEST_SORT}` ? { ...item, e: { S: '{' } } : item,
      );
      return operation === 'Query'
        ? { status: 200, body: JSON.stringify({ ...rest, Items: damaged }) }
        : answer;
    });
    const { manifest, commits } = await log.load(run, 50);
    expect(manifest).toBeUndefined();
    expect(commits).toHaveLength(60);
  });

  test('a manifest that no item can hold is left out, and the run goes on without', async () => {
    const run = freshRun();
    await log.append(run, commitOf(0, 'small'));
    await log.putManifest(run, { seq: 0, fold: 1, state: noise(600_000) });
    expect(await log.load(run)).toMatchObject({ commits: [{ seq: 0 }] });
  });

  describe('an item', () => {
    const run = { tenant: 'default', runId: `run_${sha256('key').slice(0, 40)}` };
    const owner = '01KC0Z8Q4H3W5X6Y7Z8A9BCDEF';
    const messageId = '5fea7756-0ea4-451a-a703-a558b933e274';

    function realCommit(seq: number, payload: unknown): Commit {
      const events = [{ seq, payload }];
      return { seq, events, owner, messageId, hash: sha256(JSON.stringify(events)) };
    }

    test('has at most 100 bytes beside its events, and all of the commit comes back', async () => {
      const commit = realCommit(1_234, 'x');
      const [item] = itemsPut(await askedBy(() => log.append(run, commit)));
      expect(sizeOf(decoded(item)) - Buffer.byteLength(JSON.stringify(commit.events))).toBeLessThanOrEqual(
        100,
      );
      expect((await log.read(run, { after: 1_233, limit: 1 }))[0]).toEqual(commit);
    });

    test('whose events were altered no longer has their hash', async () => {
      const one = freshRun();
      await log.append(one, realCommit(0, 'as it was'));
      await stage.dynamo.send(
        new UpdateItemCommand({
          TableName: stage.env[VARIABLES.logTable],
          Key: { p: { S: partitionOf(one) }, s: { N: '0' } },
          UpdateExpression: 'SET e = :e',
          ExpressionAttributeValues: { ':e': { S: '[{"seq":0,"payload":"altered"}]' } },
        }),
      );
      const [commit] = (await log.load(one)).commits;
      expect(commit!.events).toEqual([{ seq: 0, payload: 'altered' }]);
      expect(commit!.hash).not.toBe(sha256(JSON.stringify(commit!.events)));
    });

    test.each([
      ['a text that fits one write unit stays text', 'a'.repeat(800), 'S'],
      ['a text that would cost two and needs one is compressed', 'a'.repeat(1_500), 'B'],
      ['a text that would cost as much stays text', noise(1_500), 'S'],
    ])('%s', async (_, payload, type) => {
      const one = freshRun();
      const asked = await askedBy(() => log.append(one, commitOf(0, payload)));
      expect(Object.keys(itemsPut(asked)[0].e)).toEqual([type]);
      expect((await log.load(one)).commits[0]!.events).toEqual([{ seq: 0, payload }]);
    });

    test('is counted as the service counts it: of 400 KB it is taken, of one byte more it is not', async () => {
      const table = dynamoTable(stage.dynamo, stage.env[VARIABLES.logTable]!);
      const itemOf = (bytes: number): Item => {
        const item = {
          p: { S: freshRun().runId },
          s: { N: '-10203' },
          b: { B: Buffer.alloc(7) },
          e: { S: '' },
        };
        return { ...item, e: { S: 'x'.repeat(bytes - sizeOf(item)) } };
      };
      expect(await table.insert(itemOf(409_600))).toBe('inserted');
      await expect(table.insert(itemOf(409_601))).rejects.toMatchObject({
        cause: { name: 'ValidationException' },
      });
      // dynalite counts characters; DynamoDB counts the bytes of UTF-8.
      expect(sizeOf({ '€': { S: '€\u{1f680}' } })).toBe(3 + 3 + 4);
    });

    test('that cannot be stored is refused by its code before anything is sent', async () => {
      const asked = await askedBy(async () => {
        await expect(log.append(freshRun(), commitOf(0, noise(600_000)))).rejects.toMatchObject({
          code: 'item_too_large',
        });
      });
      expect(asked).toEqual([]);
    });
  });

  describe('an append', () => {
    test('that was applied and whose answer was lost is a conflict with itself, and there is one item', async () => {
      const run = freshRun();
      let lost = 0;
      stage.aws.disturb(async ({ operation }, pass) => {
        const answer = await pass();
        return operation === 'PutItem' && lost++ === 0 ? undefined : answer;
      });
      const commit = commitOf(0, 'mine');
      expect(await log.append(run, commit)).toBe('conflict');
      expect(await log.read(run, { after: -1, limit: 1 })).toEqual([commit]);
    });

    test.each([
      ['a 500', () => fault(500, 'InternalServerError')],
      ['a 503', () => fault(503, 'ServiceUnavailable')],
      ['a closed connection', () => undefined],
      ['an answer that breaks off', () => ({ status: 200, body: '{', cut: true }) as const],
    ])('that meets %s is tried 4 times by one layer, counted, and then unavailable', async (_, answer) => {
      const { world, requests } = stage.open();
      stage.aws.disturb(async () => answer());
      const before = stage.aws.asked.length;
      await expect(world.log.append(freshRun(), commitOf(0, 'x'))).rejects.toMatchObject({
        code: 'unavailable',
        cause: { $metadata: { attempts: 4 } },
      });
      expect(stage.aws.asked.length - before).toBe(4);
      expect(requests.get('DynamoDBClient.PutItemCommand')).toEqual({ calls: 1, requests: 4 });
    });

    test('that is throttled backs off and succeeds', async () => {
      const run = freshRun();
      let throttled = 0;
      stage.aws.disturb(async (_, pass) =>
        throttled++ === 0 ? fault(400, 'com.amazonaws.dynamodb.v20120810#ThrottlingException') : pass(),
      );
      expect(await log.append(run, commitOf(0, 'x'))).toBe('appended');
    });

    test('that the role may not do is refused at once, in words that say where to look', async () => {
      stage.aws.disturb(async () => fault(400, 'com.amazon.coral.service#AccessDeniedException'));
      const asked = await askedBy(async () => {
        await expect(log.append(freshRun(), commitOf(0, 'x'))).rejects.toMatchObject({
          code: 'aws_refused',
          message: expect.stringMatching(/the table log-\d+.*AccessDeniedException.*what its role may do/),
        });
      });
      expect(asked).toHaveLength(1);
    });
  });

  test('a run id that a forged message brings cannot reach into another partition', async () => {
    await expect(log.load({ tenant: 'a', runId: 'b#c' })).rejects.toMatchObject({ code: 'bad_key' });
    await expect(log.load({ tenant: '', runId: 'c' })).rejects.toMatchObject({ code: 'bad_key' });
    expect(partitionOf({ tenant: 'a#b', runId: 'c' })).toBe('a#b#c');
  });
});

function commitOf(seq: number, payload: unknown): Commit {
  return { seq, events: [{ seq, payload }], owner: 'owner', messageId: 'message', hash: `hash ${seq}` };
}

/** Text of which gzip takes a quarter. */
function noise(bytes: number): string {
  return randomBytes(bytes).toString('base64').slice(0, bytes);
}

/** An item off the wire, where bytes are base64. */
function decoded(item: Record<string, Record<string, string>>): Item {
  const entries = Object.entries(item).map(([name, { B, ...value }]) => [
    name,
    B === undefined ? value : { B: Buffer.from(B, 'base64') },
  ]);
  return Object.fromEntries(entries) as Item;
}

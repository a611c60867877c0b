import { ulid } from 'ulid';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { VARIABLES } from '../../lib/aws/aws-environment.ts';
import { LIST_SHARDS, shardOf, WAKE_SHARDS } from '../../lib/aws/key-names.ts';
import type { Header, RunIndex } from '../../lib/ports/run-index.ts';
import { freshRun } from '../contracts/open.ts';
import { type AwsStage, openAwsStage } from './open-aws.ts';

describe('the run index in DynamoDB', () => {
  let stage: AwsStage;
  let index: RunIndex;

  beforeAll(async () => {
    stage = await openAwsStage();
  });
  beforeEach(async () => {
    index = stage.open({ env: { [VARIABLES.runsTable]: await stage.createRunsTable() } }).world.index;
  });
  afterAll(() => stage.close());

  test('runs are spread evenly over the shards, and each stays in its own', () => {
    const runs = Array.from({ length: 2_000 }, () => freshRun());
    for (const count of [LIST_SHARDS, WAKE_SHARDS]) {
      const sizes = Array.from(
        { length: count },
        (_, i) => runs.filter((run) => shardOf(run, count) === i).length,
      );
      for (const size of sizes) expect(size).toBeGreaterThan(2_000 / count / 2);
    }
    expect(shardOf({ tenant: 'a', runId: 'x' }, 16)).toBe(shardOf({ tenant: 'b', runId: 'x' }, 16));
  });

  test('lists hold the runs of all shards in order, narrowed to an agent of few runs among many too', async () => {
    const headers = Array.from({ length: 60 }, (_, minute) =>
      headerOf({ tenant: 'many', agent: minute % 20 === 0 ? 'rare' : 'common', createdAt: at(minute) }),
    );
    await Promise.all(headers.map((header) => index.put(header)));
    const newest = headers.toReversed();
    const list = async (agent?: string) =>
      (await index.list({ tenant: 'many', limit: 3, ...(agent && { agent }) })).headers.map(
        ({ runId }) => runId,
      );
    expect(await list()).toEqual(newest.slice(0, 3).map(({ runId }) => runId));
    expect(await list('rare')).toEqual([40, 20, 0].map((minute) => headers[minute]!.runId));
  });

  test('a tenant whose name looks like a key of another sees nothing of it', async () => {
    await index.put(headerOf({ tenant: 'a', status: 'paused' }));
    for (const tenant of ['a#paused', 'a#0', 'a#1', 'a#2', 'a#3', '']) {
      expect((await index.list({ tenant, limit: 10 })).headers).toEqual([]);
      expect((await index.list({ tenant, status: 'paused', limit: 10 })).headers).toEqual([]);
    }
  });

  test('a row without a wake time is not in the index of those', async () => {
    const header = headerOf({ wakeAt: 5 });
    await index.put(header);
    expect(await index.due(10, 10)).toHaveLength(1);
    const { wakeAt: _, ...asleep } = header;
    await index.put(asleep);
    expect(await index.due(Number.MAX_SAFE_INTEGER, 10)).toEqual([]);
  });

  test('a cursor that names a place where no row can be is refused in our words', async () => {
    const cursor = Buffer.from(JSON.stringify(['x'.repeat(2_000), 'y'])).toString('base64url');
    await expect(index.list({ tenant: 'a', limit: 1, cursor })).rejects.toMatchObject({ code: 'bad_cursor' });
  });
});

function headerOf(over: Partial<Header>): Header {
  return {
    tenant: 'tenant',
    runId: ulid(),
    agent: 'research',
    status: 'running',
    seq: 0,
    createdAt: at(0),
    updatedAt: at(0),
    interrupts: [],
    ...over,
  };
}

function at(minute: number): string {
  return new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
}

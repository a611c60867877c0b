import { ulid } from 'ulid';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Header, HeaderQuery, RunIndex, StallMark } from '../../lib/ports/run-index.ts';
import { AWKWARD_VALUES, expectIdentical } from './awkward-values.ts';
import { freshRun, type Open } from './open.ts';

/** What every run index does. */
export function runIndexContract(name: string, open: Open<'index'>): void {
  describe(`run index: ${name}`, () => {
    let index: RunIndex;
    let close: () => Promise<void>;

    beforeEach(async () => {
      const opened = await open();
      index = opened.world.index;
      close = opened.close;
    });
    afterEach(() => close());

    test('a run without a header is undefined', async () => {
      expect(await index.get(freshRun())).toBeUndefined();
    });

    test('a header comes back whole', async () => {
      const header = headerOf({
        wakeAt: 1_767_225_600_123,
        labels: { team: 'a', '': 'b' },
        interrupts: [
          { interruptId: 'int-1', reason: 'awaiting_approval', step: 3, since: T0, tool: 'pay', risk: 'low' },
        ],
        stalled: MARK,
      });
      expect(await index.put(header)).toBe(true);
      expect(await index.get(header)).toEqual(header);
      expect((await index.list({ tenant: header.tenant, limit: 10 })).headers).toEqual([header]);
      expect(await index.due(1_767_225_600_123, 10)).toEqual([header]);
    });

    test.each(Object.keys(AWKWARD_VALUES))('%s comes back identical', async (which) => {
      const value = JSON.stringify(AWKWARD_VALUES[which]);
      const interrupts = [
        { interruptId: 'int-1', reason: 'in_doubt', step: 1, since: T0, summary: `\u0000\ud800${value}` },
      ];
      const header = headerOf({ interrupts, labels: { [value.slice(0, 50)]: value.slice(-50) } });
      await index.put(header);
      expectIdentical(await index.get(header), header);
    });

    test('a put replaces a row of a lower or the same seq, and never one of a higher', async () => {
      const run = freshRun();
      const put = (seq: number, agent: string) => index.put(headerOf({ ...run, seq, agent }));
      expect(await put(5, 'first')).toBe(true);
      expect(await put(7, 'higher')).toBe(true);
      expect(await put(6, 'lower')).toBe(false);
      expect((await index.get(run))?.agent).toBe('higher');
      expect(await put(7, 'same')).toBe(true);
      expect(await index.get(run)).toEqual(headerOf({ ...run, seq: 7, agent: 'same' }));
    });

    test('of 20 concurrent puts the one of the highest seq remains', async () => {
      const run = freshRun();
      const seqs = Array.from({ length: 20 }, (_, i) => (i * 7) % 20);
      await Promise.all(seqs.map((seq) => index.put(headerOf({ ...run, seq, agent: `agent ${seq}` }))));
      expect(await index.get(run)).toMatchObject({ seq: 19, agent: 'agent 19' });
    });

    test('the first `createdAt` is kept, in lists too', async () => {
      const header = headerOf({ createdAt: '2026-01-01T00:00:00.000Z' });
      await index.put(header);
      await index.put({
        ...header,
        seq: 1,
        createdAt: '2026-02-01T00:00:00.000Z',
        updatedAt: '2026-02-01T00:00:00.000Z',
      });
      const kept = { ...header, seq: 1, updatedAt: '2026-02-01T00:00:00.000Z' };
      expect(await index.get(header)).toEqual(kept);
      expect((await index.list({ tenant: header.tenant, limit: 1 })).headers).toEqual([kept]);
    });

    test('a put without a mark, a wake time or labels clears them', async () => {
      const header = headerOf({ stalled: MARK, wakeAt: 5, labels: { a: 'b' } });
      await index.put(header);
      const { stalled: _, wakeAt: __, labels: ___, ...bare } = header;
      await index.put(bare);
      expect(await index.get(header)).toEqual(bare);
      expect(await index.due(10, 10)).toEqual([]);
    });

    test('the wake time moves, and goes, only while the row has the given seq', async () => {
      const header = headerOf({ seq: 3, wakeAt: 100 });
      expect(await index.moveWakeAt(header, 3, 50)).toBe(false);
      await index.put(header);
      expect(await index.moveWakeAt(header, 2, 200)).toBe(false);
      expect(await index.moveWakeAt(header, 4, 200)).toBe(false);
      expect(await index.get(header)).toEqual(header);
      expect(await index.moveWakeAt(header, 3, 200)).toBe(true);
      expect(await index.get(header)).toEqual({ ...header, wakeAt: 200 });
      expect(await index.due(199, 10)).toEqual([]);
      expect(await index.moveWakeAt(header, 3, undefined)).toBe(true);
      expect(await index.get(header)).not.toHaveProperty('wakeAt');
      expect(await index.due(1_000, 10)).toEqual([]);
    });

    test('a run is marked as stalled only while the row has the given seq', async () => {
      const header = headerOf({ seq: 3, wakeAt: 100 });
      expect(await index.stall(header, 3, MARK)).toBe(false);
      await index.put(header);
      expect(await index.stall(header, 2, MARK)).toBe(false);
      expect(await index.stall(header, 3, MARK)).toBe(true);
      expect(await index.get(header)).toEqual({ ...header, stalled: MARK });
      expect(await index.stall(header, 3, { ...MARK, tries: 1 })).toBe(true);
      expect(await index.moveWakeAt(header, 3, 7)).toBe(true);
      expect(await index.get(header)).toEqual({ ...header, wakeAt: 7, stalled: { ...MARK, tries: 1 } });
    });

    test('a list is newest first and narrowed by tenant, agent and status', async () => {
      const tenant = ulid();
      const put = async (minute: number, over: Partial<Header>) => {
        const header = headerOf({ tenant, createdAt: at(minute), ...over });
        await index.put(header);
        return header.runId;
      };
      const b = await put(2, { agent: 'x', status: 'paused' });
      const a = await put(1, { agent: 'x', status: 'running' });
      const d = await put(4, { agent: 'y', status: 'paused' });
      const c = await put(3, { agent: 'y', status: 'completed' });
      await put(5, { tenant: ulid() });
      const list = async (query: Partial<HeaderQuery>) =>
        (await index.list({ tenant, limit: 10, ...query })).headers.map(({ runId }) => runId);
      expect(await list({})).toEqual([d, c, b, a]);
      expect(await list({ agent: 'x' })).toEqual([b, a]);
      expect(await list({ status: 'paused' })).toEqual([d, b]);
      expect(await list({ agent: 'y', status: 'paused' })).toEqual([d]);
      expect(await list({ agent: 'z' })).toEqual([]);
      expect(await list({ limit: 2 })).toEqual([d, c]);
      await index.stall({ tenant, runId: d }, 0, MARK);
      expect(await list({ status: 'stalled' })).toEqual([d]);
      expect(await list({ status: 'paused' })).toEqual([b]);
      expect(await list({ status: 'stalled', agent: 'x' })).toEqual([]);
    });

    test('pages give every row once, also those of one instant, while newer rows are added', async () => {
      const tenant = ulid();
      const runIds = new Set<string>();
      for (let i = 0; i < 11; i++) {
        const header = headerOf({ tenant, createdAt: at(Math.floor(i / 4)) });
        await index.put(header);
        runIds.add(header.runId);
      }
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await index.list({ tenant, limit: 3, ...(cursor !== undefined && { cursor }) });
        expect(page.headers.length).toBeLessThanOrEqual(3);
        seen.push(...page.headers.map(({ runId }) => runId));
        cursor = page.cursor;
        await index.put(headerOf({ tenant, createdAt: at(50 + seen.length) }));
      } while (cursor !== undefined);
      expect(seen).toHaveLength(11);
      expect(new Set(seen)).toEqual(runIds);
    });

    test('a page goes on where the last ended although its last row has changed since', async () => {
      const tenant = ulid();
      const headers = [3, 2, 1].map((minute) =>
        headerOf({ tenant, createdAt: at(minute), status: 'running' }),
      );
      for (const header of headers) await index.put(header);
      const { cursor } = await index.list({ tenant, status: 'running', limit: 2 });
      await index.put({ ...headers[1]!, seq: 9, status: 'completed' });
      const page = await index.list({ tenant, status: 'running', limit: 2, cursor: cursor! });
      expect(page).toEqual({ headers: [headers[2]] });
    });

    test.each(['', 'x', '!!', 'bnVsbA', 'WyJhIl0', 'eyJhIjoxfQ', 'A'.repeat(5_000)])(
      'the cursor %j is refused',
      async (cursor) => {
        const { tenant } = headerOf({});
        await expect(index.list({ tenant, limit: 5, cursor })).rejects.toMatchObject({ code: 'bad_cursor' });
      },
    );

    test('what is due is listed over all tenants, the longest overdue first', async () => {
      const due = async (now: number, limit: number) =>
        (await index.due(now, limit)).map(({ wakeAt }) => wakeAt);
      for (const wakeAt of [300, 100, 200, 1_000, 50.5])
        await index.put(headerOf({ tenant: ulid(), wakeAt }));
      await index.put(headerOf({ tenant: ulid() }));
      expect(await due(300, 10)).toEqual([50.5, 100, 200, 300]);
      expect(await due(300, 2)).toEqual([50.5, 100]);
      expect(await due(50, 10)).toEqual([]);
    });
  });
}

const T0 = '2026-01-01T00:00:00.000Z';
const MARK: StallMark = { code: 'poison', cause: 'ten wakes without a commit', count: 10, at: T0, tries: 0 };

function headerOf(over: Partial<Header>): Header {
  return {
    ...freshRun(),
    agent: 'research',
    status: 'running',
    seq: 0,
    createdAt: T0,
    updatedAt: T0,
    interrupts: [],
    ...over,
  };
}

function at(minute: number): string {
  return new Date(Date.parse(T0) + minute * 60_000).toISOString();
}

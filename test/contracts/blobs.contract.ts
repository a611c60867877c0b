import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Blobs } from '../../lib/ports/blobs.ts';
import { freshRun, type Open } from './open.ts';

/** What every store of blobs does. */
export function blobsContract(name: string, open: Open<'blobs'>): void {
  describe(`blobs: ${name}`, () => {
    let blobs: Blobs;
    let close: () => Promise<void>;

    beforeEach(async () => {
      const opened = await open();
      blobs = opened.world.blobs;
      close = opened.close;
    });
    afterEach(() => close());

    test('what is not there is undefined', async () => {
      const run = freshRun();
      expect(await blobs.get(run, keyOf(EVERY_BYTE))).toBeUndefined();
      await blobs.put(run, keyOf(EVERY_BYTE), EVERY_BYTE);
      expect(await blobs.get(run, keyOf(new Uint8Array(1)))).toBeUndefined();
    });

    test.each([
      ['no bytes', 0],
      ['every byte', 256],
      ['3 MB', 3_000_000],
    ])('a payload of %s comes back the same', async (_, length) => {
      const run = freshRun();
      const bytes = Uint8Array.from({ length }, (_, i) => (i % 251) ^ (i >> 8));
      await blobs.put(run, keyOf(bytes), bytes);
      expect(Buffer.compare((await blobs.get(run, keyOf(bytes)))!, bytes)).toBe(0);
    });

    test('a put may be repeated, 20 times at once too', async () => {
      const run = freshRun();
      const put = () => blobs.put(run, keyOf(EVERY_BYTE), EVERY_BYTE);
      await Promise.all(Array.from({ length: 20 }, put));
      await put();
      expect(await blobs.get(run, keyOf(EVERY_BYTE))).toEqual(EVERY_BYTE);
    });

    test('what is stored does not change with the bytes that were handed in, nor with those that were read', async () => {
      const run = freshRun();
      const bytes = Uint8Array.from(EVERY_BYTE);
      await blobs.put(run, keyOf(EVERY_BYTE), bytes);
      bytes.fill(0);
      (await blobs.get(run, keyOf(EVERY_BYTE)))!.fill(1);
      expect(await blobs.get(run, keyOf(EVERY_BYTE))).toEqual(EVERY_BYTE);
    });

    test('runs and tenants have payloads of their own', async () => {
      const run = freshRun();
      await blobs.put(run, keyOf(EVERY_BYTE), EVERY_BYTE);
      expect(await blobs.get(freshRun(), keyOf(EVERY_BYTE))).toBeUndefined();
      expect(await blobs.get({ ...run, tenant: 'other' }, keyOf(EVERY_BYTE))).toBeUndefined();
    });
  });
}

const EVERY_BYTE = Uint8Array.from({ length: 256 }, (_, i) => i);

function keyOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

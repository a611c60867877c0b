import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type Chunk,
  chunksToMerge,
  type Place,
  packPlaces,
  unpackPlaces,
} from '../../lib/core/transcript.ts';

test('places come back as they were, whatever their order', () => {
  const place = fc.oneof(fc.nat(1e9), fc.array(fc.nat(1e9), { minLength: 1, maxLength: 5 }));
  fc.assert(
    fc.property(fc.array(place), (places: Place[]) => {
      expect(unpackPlaces(JSON.parse(JSON.stringify(packPlaces(places))) as Place[])).toEqual(places);
    }),
  );
});

test('the chunks of a long conversation stay few, and each entry is written a few times only', () => {
  const chunk = (entries: number): Chunk => ({ sha256: '', bytes: 0, entries });
  let chunks: Chunk[] = [];
  let written = 0;
  const added = 256;
  for (let entries = added; entries <= 1_000_000; entries += added) {
    const kept = chunks.length - chunksToMerge(chunks, added);
    const merged = chunks.slice(kept).reduce((sum, each) => sum + each.entries, added);
    written += merged;
    chunks = [...chunks.slice(0, kept), chunk(merged)];
  }
  expect(chunks.length).toBeLessThan(90);
  expect(written / 1_000_000).toBeLessThan(4);
});

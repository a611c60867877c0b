import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { WORDS_OF_COMMITS, WORDS_OF_SNAPSHOTS } from './packing-words.ts';

/** How a value is packed: the first of its bytes. A number is never given another meaning. */
const HOW = { commit: 1, snapshot: 2 };

const WORDS: { readonly [how: number]: Buffer } = {
  [HOW.commit]: Buffer.from(WORDS_OF_COMMITS),
  [HOW.snapshot]: Buffer.from(WORDS_OF_SNAPSHOTS),
};

/** A compressor for a few KB needs no tables for many: to set them up is most of its work. */
const SMALL = 16_384;
const FOR_SMALL = { windowBits: 13, memLevel: 5, chunkSize: 4_096 };

/**
 * JSON as bytes, deflated. Most commits are small and made of the same words, which a compressor has to be told
 * beforehand: with them a claim takes half the bytes.
 */
export function packJson(value: unknown, kind: keyof typeof HOW): Uint8Array {
  const bytes = Buffer.from(JSON.stringify(value));
  const how = HOW[kind];
  const options = { dictionary: WORDS[how], ...(bytes.length <= SMALL && FOR_SMALL) };
  return Buffer.concat([Buffer.of(how), deflateRawSync(bytes, options)]);
}

export function unpackJson(packed: Uint8Array): unknown {
  const { 0: how = 0 } = packed;
  return JSON.parse(inflateRawSync(packed.subarray(1), { dictionary: WORDS[how] }).toString());
}

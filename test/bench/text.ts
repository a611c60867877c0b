import { deflateSync } from 'node:zlib';

/** Bytes of text in each completion and in each tool result. */
const COMPLETION_BYTES = 2_048;
const RESULT_BYTES = 1_024;

const CONSONANTS = 'ttnnssrrhdlc';
const VOWELS = 'eeaaoiu';

/** So many different texts of each size are made beforehand: making them is not what is measured. */
const POOL = 512;

export const completions = pool(1, COMPLETION_BYTES);
export const results = pool(2, RESULT_BYTES);

/**
 * How far the texts deflate: each by itself, as they are stored, and all in one stream, which shows that they have nothing
 * in common that a larger window would find.
 */
export function deflateRatios() {
  const deflated = (text: string) => deflateSync(text).length / text.length;
  const mean = (texts: readonly string[]) =>
    texts.reduce((sum, text) => sum + deflated(text), 0) / texts.length;
  return {
    completion: mean(completions),
    result: mean(results),
    stream: deflated([...completions, ...results].join('')),
  };
}

/** Words of random syllables, the same for the same seed. */
function pool(seed: number, bytes: number): readonly string[] {
  const random = mulberry(seed);
  const pick = (letters: string) => letters[Math.floor(random() * letters.length)] as string;
  const syllable = () => pick(CONSONANTS) + pick(VOWELS) + (random() < 0.3 ? pick(CONSONANTS) : '');
  const word = () => Array.from({ length: 1 + Math.floor(random() * 3) }, syllable).join('');
  return Array.from({ length: POOL }, () => {
    let text = '';
    while (text.length < bytes) text += `${word()} `;
    return text.slice(0, bytes);
  });
}

function mulberry(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

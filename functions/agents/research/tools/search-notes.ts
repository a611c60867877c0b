import { readdir, readFile } from 'node:fs/promises';
import * as z from 'zod';
import { defineTool } from '../../../../lib/index.ts';

/** Finds the passages of the notes that share the most, and the rarest, words with the query. */
export const searchNotes = defineTool({
  name: 'search_notes',
  description:
    'Search the notes on operating the shop: incidents, deploys, runbooks, rota. Gives passages to cite.',
  input: z.object({
    query: z.string().min(1).max(500),
    most: z.int().min(1).max(20).default(4).describe('how many passages to give'),
  }),
  effect: 'read',
  run: async ({ query, most }) => ({ passages: rank(await passages(), query).slice(0, most) }),
});

/** A paragraph of a note and the line on which it begins. */
interface Passage {
  note: string;
  line: number;
  text: string;
}

const NOTES = new URL('../notes/', import.meta.url);

async function passages(): Promise<Passage[]> {
  const names = (await readdir(NOTES)).filter((name) => name.endsWith('.txt')).sort();
  const notes = await Promise.all(
    names.map(async (note) => split(note, await readFile(new URL(note, NOTES), 'utf8'))),
  );
  return notes.flat();
}

function split(note: string, text: string): Passage[] {
  let line = 1;
  return text.split('\n\n').map((paragraph) => {
    const passage = { note, line, text: paragraph.trim() };
    line += paragraph.split('\n').length + 1;
    return passage;
  });
}

/** A passage counts what it shares with the query, rare words more, and half of what the rest of its note shares. */
function rank(passages: Passage[], query: string): Passage[] {
  const bags = passages.map(({ note, text }) => ({ note, bag: words(`${note} ${text}`) }));
  const wanted = [...words(query)].map((word) => {
    const holders = bags.filter(({ bag }) => bag.has(word)).length;
    return { word, weight: Math.log(1 + passages.length / Math.max(1, holders)) };
  });
  const shared = (bags: Set<string>[]) =>
    wanted.reduce((sum, { word, weight }) => sum + (bags.some((bag) => bag.has(word)) ? weight : 0), 0);

  const scored = passages.map((passage, index) => {
    const whole = bags.filter(({ note }) => note === passage.note).map(({ bag }) => bag);
    return { passage, score: shared(bags.slice(index, index + 1).map(({ bag }) => bag)) + shared(whole) / 2 };
  });
  const hits = scored.filter(({ score }) => score > 0);
  return hits.sort((a, b) => b.score - a.score).map(({ passage }) => passage);
}

const COMMON = new Set('the and for why did was were how what who when with that'.split(' '));

/** Words without their endings, so that "failed" finds "fail" and "fails". */
function words(text: string): Set<string> {
  const all = text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [];
  return new Set(all.filter((word) => !COMMON.has(word)).map((word) => word.replace(/(e|ed|es|ing|s)$/, '')));
}

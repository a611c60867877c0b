import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { checkUsage } from '../../lib/cli/check-usage.ts';
import { commands } from '../../lib/cli/commands.ts';
import { documents, filesUnder, ROOT, readDocument } from './documents.ts';

const sources = ['lib', 'functions'].flatMap((folder) => filesUnder(folder, '.ts')).map(readDocument);

test.each(documents())('every link in %s leads somewhere', (path) => {
  const targets = [...readDocument(path).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  const local = targets.filter((target) => !/^https?:/.test(target));
  expect(local.filter((target) => !leadsSomewhere(path, target))).toEqual([]);
});

function leadsSomewhere(from: string, target: string): boolean {
  const [file = '', anchor] = target.split('#');
  const path = file === '' ? from : join(dirname(from), file);
  if (!existsSync(join(ROOT, path))) return false;
  return anchor === undefined || anchors(path).includes(anchor);
}

/** As GitHub makes them. */
function anchors(path: string): string[] {
  return [...readDocument(path).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

test('every test that the guarantees name exists', () => {
  const named = [
    ...readDocument('docs/guarantees.md').matchAll(/`(test\/[\w./-]+)`: ([^|\n]+?) *(?:\||$)/gm),
  ];
  expect(named.length).toBeGreaterThan(50);
  const missing = named.filter(([, file = '', name = '']) => !hasTest(file, name));
  expect(missing.map(([, file, name]) => `${file}: ${name}`)).toEqual([]);
});

function hasTest(file: string, name: string): boolean {
  return existsSync(join(ROOT, file)) && readDocument(file).includes(name);
}

test.each(commandLines())('%s is understood', async (line) => {
  const [name = '', ...args] = wordsOf(line);
  if (name === '--help') return;
  expect(Object.keys(commands)).toContain(name);
  const command = await commands[name]?.();
  // What is shown inline names a command without what it is given.
  if (command && (args.length > 0 || NEEDS_NOTHING.has(name))) checkUsage(command, args);
});

const NEEDS_NOTHING: ReadonlySet<string> = new Set(['dev', 'runs', 'interrupts']);

/** What follows `stepfold --` wherever a page shows it. */
function commandLines(): string[] {
  const shown = documents().flatMap((path) => [
    ...readDocument(path).matchAll(/npm run -s stepfold -- ([^`\n]+)/g),
  ]);
  return [...new Set(shown.map(([, line = '']) => line.replace(/ +#.*$/, '').trim()))];
}

/** The words of a line as a shell sees them. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? '');
}

test('README names every command', () => {
  const readme = readDocument('README.md');
  expect(Object.keys(commands).filter((name) => !readme.includes(`\`${name}\``))).toEqual([]);
});

test.each(documents())('no command of %s stands behind one that holds the terminal', (path) => {
  const blocks = [...readDocument(path).matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
  expect(blocks.filter((block) => /\b(npm start|stepfold -- dev)\b.*\n+.*\S/.test(block))).toEqual([]);
});

test('no document names a place of one machine', () => {
  expect(
    documents().filter((path) => /(?<![\w.])\/(work|home|root|tmp|Users)\//.test(readDocument(path))),
  ).toEqual([]);
});

test('the variables of the environment are those that the code reads', () => {
  const read = new Set(
    sources.flatMap((source) => source.match(/\b(?:STEPFOLD|ANTHROPIC)_[A-Z_]+\b/g) ?? []),
  );
  const told = readDocument('docs/operations.md').match(/\b(?:STEPFOLD|ANTHROPIC)_[A-Z_]+\b/g) ?? [];
  expect([...new Set(told)].sort()).toEqual([...read].sort());
});

test('every code that a document names is one, and every lasting cause of a stall has its remedy', () => {
  const page = readDocument('docs/operations.md');
  const text = sources.join('\n');
  const codes = documents().flatMap((path) => [
    ...readDocument(path).matchAll(/\(`([a-z]+(?:_[a-z]+)+)`[,)]/g),
  ]);
  expect(codes.map(([, code = '']) => code).filter((code) => !text.includes(`'${code}'`))).toEqual([]);
  const [, lasting = ''] =
    /LASTING = new Set\(\[([^\]]*)\]/.exec(readDocument('lib/runtime/set-aside.ts')) ?? [];
  const causes = [...lasting.matchAll(/'(\w+)'/g)].map(([, code = '']) => code);
  expect(causes.length).toBeGreaterThan(5);
  const [, section = ''] = page.split('\n## A run is stalled\n');
  expect(causes.filter((code) => !section.includes(`\`${code}\``))).toEqual([]);
});

test('the decisions are numbered without a gap', () => {
  const numbers = filesUnder('docs/decisions', '.md').map((path) => Number(/\/(\d{4})-/.exec(path)?.[1]));
  expect(numbers.sort((a, b) => a - b)).toEqual(numbers.map((_, index) => index + 1));
});

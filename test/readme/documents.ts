import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the repository. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export function readDocument(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** Every document of the repository, by its path from the root. */
export function documents(): string[] {
  const atRoot = readdirSync(ROOT).filter((name) => name.endsWith('.md'));
  return [...atRoot, ...filesUnder('docs', '.md')];
}

/** The files below a folder whose names end so, by their paths from the root. */
export function filesUnder(folder: string, ending: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name));
}

/** The fenced code blocks of a language under a heading, up to the next one of the same level. */
export function codeBlocks(document: string, heading: string, language: string): string[] {
  const [, section = ''] = document.split(`\n## ${heading}\n`);
  const [own = ''] = section.split('\n## ');
  return [...own.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].flatMap(([, tag, code]) =>
    tag === language && code !== undefined ? [code] : [],
  );
}

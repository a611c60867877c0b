import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the repository. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export function readDocument(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** The fenced code blocks of a language under a heading, up to the next one of the same level. */
export function codeBlocks(document: string, heading: string, language: string): string[] {
  const [, section = ''] = document.split(`\n## ${heading}\n`);
  const [own = ''] = section.split('\n## ');
  return [...own.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].flatMap(([, tag, code]) =>
    tag === language && code !== undefined ? [code] : [],
  );
}

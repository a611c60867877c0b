import { mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Agent } from '../../lib/agent.ts';
import { documents, ROOT, readDocument } from '../readme/documents.ts';

/** A complete agents file that a page under `docs` shows, by the heading above it. */
export interface Example {
  readonly heading: string;
  readonly source: string;
}

/** Every TypeScript block of the pages. */
export function examples(): Example[] {
  return documents()
    .filter((path) => path.startsWith('docs/'))
    .flatMap((path) => examplesOf(readDocument(path)));
}

function examplesOf(page: string): Example[] {
  return page.split(/^## /m).flatMap((section) => {
    const heading = section.slice(0, section.indexOf('\n'));
    const blocks = [...section.matchAll(/^```ts\n([\s\S]*?)^```$/gm)];
    return blocks.map(([, source = '']) => ({ heading, source }));
  });
}

/** A clone as its reader sees it: `lib` and `node_modules`, to put files beside. */
export function cloneDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'stepfold-docs-'));
  for (const part of ['lib', 'node_modules', 'package.json'])
    symlinkSync(join(ROOT, part), join(directory, part));
  return directory;
}

/** The agents of an example, loaded from a file that holds it as it is printed. */
export async function loadExample(directory: string, { heading, source }: Example): Promise<Agent[]> {
  const file = join(directory, fileName(heading));
  writeFileSync(file, source);
  const module = (await import(pathToFileURL(file).href)) as { default: Agent[] };
  return module.default;
}

export function fileName(heading: string): string {
  return `${heading.toLowerCase().replaceAll(/\W+/g, '-')}.ts`;
}

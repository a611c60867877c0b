import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isStepfoldError, StepfoldError } from '../core/errors.ts';
import { type Registry, registryOf } from '../registry.ts';

/** Where an agents file is looked for when none is named. */
const USUAL = ['agents.ts', 'agents.js', 'agents.mjs', 'functions/agents/index.ts'];

/**
 * Loads an agents file: a module whose default export lists the agents that are served.
 *
 * @throws StepfoldError `agents_file_not_found`; `bad_agents_file` with what was thrown as its cause; what
 * `defineAgent()`, `defineTool()` and the registry throw, with the file's name.
 */
export async function loadAgents(given?: string): Promise<Registry> {
  const file = findAgentsFile(given);
  let module: { default?: unknown };
  try {
    module = await import(pathToFileURL(resolve(file)).href);
  } catch (cause) {
    throw failedToLoad(file, cause);
  }
  return registryOf(module.default, file);
}

function findAgentsFile(given: string | undefined): string {
  const found = (given === undefined ? USUAL : [given]).find(
    (file) => existsSync(file) && statSync(file).isFile(),
  );
  if (found !== undefined) return found;
  const looked = given === undefined ? `${USUAL.join(', ')} in ${process.cwd()}` : resolve(given);
  throw new StepfoldError(
    'agents_file_not_found',
    `expected an agents file, a module with \`export default [agent]\`; looked for ${looked}. Name one with --agents FILE.`,
  );
}

function failedToLoad(file: string, cause: unknown): StepfoldError {
  if (isStepfoldError(cause))
    return new StepfoldError(cause.code, `${file}: ${cause.message}`, { cause, details: cause.details });
  const said = cause instanceof Error ? cause.message : String(cause);
  return new StepfoldError('bad_agents_file', `expected ${file} to load, but it threw: ${said}`, { cause });
}

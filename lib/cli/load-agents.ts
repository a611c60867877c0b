import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isStepfoldError, StepfoldError } from '../core/errors.ts';
import { type Registry, registryOf } from '../registry.ts';
import { guardLoading } from './guard-loading.ts';
import { messageOf } from './thrown-text.ts';

/** Where an agents file is looked for when none is named. */
const USUAL = ['agents.ts', 'agents.js', 'agents.mjs', 'functions/agents/index.ts'];

interface AgentsModule {
  readonly default?: unknown;
  /** Asked when the agents are served on this machine: sentences about what they would miss there. */
  readonly warnings?: unknown;
}

/**
 * Loads an agents file: a module whose default export lists the agents that are served.
 *
 * @throws StepfoldError `agents_file_not_found`; `agents_file_hangs`; `bad_agents_file` with what was thrown as its cause;
 * what `defineAgent()`, `defineTool()` and the registry throw, with the file's name.
 */
export async function loadAgents(given?: string): Promise<Registry> {
  const file = findAgentsFile(given);
  try {
    const module = await guardLoading(file, load(file));
    return registryOf(module.default, file);
  } catch (cause) {
    throw failedToLoad(file, cause);
  }
}

/** What the agents of a file that is loaded would miss here, as its export `warnings` says; it never throws. */
export async function warningsOf(given?: string): Promise<string[]> {
  const file = findAgentsFile(given);
  const { warnings } = await load(file);
  if (typeof warnings !== 'function') return [];
  try {
    const said: unknown = await warnings();
    return Array.isArray(said) ? said.filter((each) => typeof each === 'string') : [];
  } catch (error) {
    return [`the warnings of ${file} failed: ${messageOf(error)}`];
  }
}

function load(file: string): Promise<AgentsModule> {
  return import(pathToFileURL(resolve(file)).href);
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
  const said = messageOf(cause);
  if (isOurs(cause)) {
    const named = said.includes(file) ? said : `${file}: ${said}`;
    return new StepfoldError(cause.code, named, { cause, details: cause.details });
  }
  return new StepfoldError('bad_agents_file', `expected ${file} to load, but it threw: ${said}`, { cause });
}

/** A thrown Proxy may throw again where it is asked what it is. */
function isOurs(cause: unknown): cause is StepfoldError {
  try {
    return isStepfoldError(cause);
  } catch {
    return false;
  }
}

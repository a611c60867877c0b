import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { StepfoldError } from '../core/errors.ts';
import type { Json } from '../core/json.ts';

/**
 * The input of a run as the command line gives it: text, `@file`, or `-` for stdin; parsed where it is said to be JSON.
 *
 * @throws StepfoldError `input_not_readable`, `malformed_json`.
 */
export async function readInput(given: string, { json }: { json: boolean }): Promise<Json> {
  const text = await textOf(given);
  return json ? parseJson(text, 'INPUT') : text;
}

/** @throws StepfoldError `malformed_json` naming what was parsed. */
export function parseJson(text: string, what: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (cause) {
    const said = cause instanceof Error ? cause.message : String(cause);
    throw new StepfoldError(
      'malformed_json',
      `expected ${what} to be JSON, such as '{"id":"T-1"}' or '"text"': ${said}`,
      { cause },
    );
  }
}

/**
 * Text as the command line gives it, or stdin for `-`.
 *
 * @throws StepfoldError `input_not_readable`
 */
export async function readText(given: string): Promise<string> {
  return given === '-' ? textOf(given) : given;
}

/** JSON where the text is JSON, else the text itself. */
export function jsonOrText(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

async function textOf(given: string): Promise<string> {
  if (given !== '-' && !given.startsWith('@')) return given;
  const from = given === '-' ? 'stdin' : given.slice(1);
  try {
    const bytes = given === '-' ? await buffer(process.stdin) : await readFile(from);
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    const said = cause instanceof Error ? cause.message : String(cause);
    throw new StepfoldError(
      'input_not_readable',
      `expected text in UTF-8 from ${from}: ${said}. INPUT that starts with @ names a file; pipe it in with - if it is meant as text.`,
      { cause },
    );
  }
}

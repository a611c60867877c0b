import { parseArgs } from 'node:util';
import { shellWord } from './shell-word.ts';

/**
 * A command line as its reader has to type it: inside the repository `stepfold` is an npm script, and where this command
 * line named a server, the next one has to name it again.
 */
export function stepfold(rest: string): string {
  return `${isScript() ? 'npm run -s stepfold -- ' : 'stepfold '}${rest}${rest.startsWith('dev') ? '' : elsewhere()}`;
}

/** What starts a server here, in words: the repository has a script for its sample and all that this needs. */
export function startServer(): string {
  const dev = `\`${stepfold('dev')}\``;
  return isScript() ? `\`npm start\` (the sample), or ${dev} (agents of your own)` : dev;
}

function isScript(): boolean {
  return process.env.npm_lifecycle_event === 'stepfold' || process.env.npm_lifecycle_event === 'start';
}

function elsewhere(): string {
  const { values } = parseArgs({
    args: process.argv.slice(2),
    options: { url: { type: 'string' } },
    strict: false,
    allowPositionals: true,
  });
  return typeof values.url === 'string' ? ` --url ${shellWord(values.url)}` : '';
}

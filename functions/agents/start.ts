import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { outliveBrokenOutput } from '../../lib/cli/broken-output.ts';
import { loadAgents } from '../../lib/cli/load-agents.ts';
import { reportError } from '../../lib/cli/report-error.ts';
import { runCommandLine } from '../../lib/cli/run-command-line.ts';
import { ensureDesk } from './research/desk/ensure-desk.ts';

/** What `npm start` runs: the sample's ticket desk, and `stepfold dev` with the sample agents and the same flags. */
const argv = process.argv.slice(2);
const { values } = parseArgs({
  args: argv,
  strict: false,
  options: { data: { type: 'string' }, json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
});
const agentsFile = relative('.', fileURLToPath(new URL('./index.ts', import.meta.url)));

outliveBrokenOutput();
try {
  if (!values.help) {
    // First, so that agents that cannot be served leave nothing behind.
    await loadAgents(agentsFile);
    await startDesk(typeof values.data === 'string' ? values.data : '.stepfold');
  }
  process.exitCode = await runCommandLine(['dev', '--agents', agentsFile, ...argv]);
} catch (error) {
  reportError(error, { json: values.json === true });
  process.exit(1);
}

/** A desk that was started here ends with this process, unless that is killed; then the next start finds it. */
async function startDesk(directory: string): Promise<void> {
  // Loaded here, so that a variable that does not fit is reported like any other error.
  const { settings } = await import('./research/settings.ts');
  const desk = await ensureDesk(settings.deskUrl, directory);
  process.on('exit', () => desk.stop());
  const say = values.json ? process.stderr : process.stdout;
  const how = desk.started ? 'is started' : 'was running already, and stays,';
  say.write(
    `The sample's ticket desk ${how} at ${desk.url}\n  data    ${relative('.', desk.data)}\n  pid     ${desk.pid}\n`,
  );
}

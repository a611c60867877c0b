import { stepfold } from './command-name.ts';
import { DEFAULT_PORT } from './default-address.ts';
import { paint } from './paint.ts';
import type { Served } from './serve.ts';
import { jsonText, visible } from './visible.ts';

/** Says what is running and the next command to type; as one JSON value for programs. */
export function announceServer(
  served: Served,
  { json, warnings }: { json: boolean; warnings: readonly string[] },
): void {
  const { url, agents, dataDir, unfinished } = served;
  const names = [...agents.keys()];
  for (const warning of [...[...agents.values()].flatMap((agent) => agent.warnings), ...warnings]) {
    process.stderr.write(`${paint(process.stderr).yellow('warning')} ${visible(warning)}\n`);
  }
  if (json) {
    process.stdout.write(`${jsonText({ url, agents: names, dataDir, unfinished, pid: process.pid })}\n`);
    return;
  }
  const colour = paint(process.stdout);
  const elsewhere = new URL(url).port === String(DEFAULT_PORT) ? '' : ` --url ${url}`;
  const start = stepfold(`start ${names[0]} "your question"${elsewhere}`);
  process.stdout.write(
    `${colour.green('Stepfold')} is running at ${colour.bold(url)}\n` +
      `  agents  ${visible(names.join(', '))}\n` +
      `  data    ${visible(dataDir)}${unfinished > 0 ? ` (${unfinished} unfinished ${unfinished === 1 ? 'run goes' : 'runs go'} on)` : ''}\n` +
      `Next: ${colour.cyan(start)}\n` +
      'Ctrl-C stops it; runs go on when it is started again.\n',
  );
}

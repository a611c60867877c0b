import { defineCommand } from 'citty';
import { announceServer } from '../announce-server.ts';
import { outliveBrokenOutput } from '../broken-output.ts';
import { DEFAULT_PORT } from '../default-address.ts';
import { warningsOf } from '../load-agents.ts';
import { outliveFailures } from '../outlive-failures.ts';
import { printReport } from '../print-report.ts';
import { reportError } from '../report-error.ts';
import { outputArgs } from '../shared-args.ts';
import { stopOnSignal } from '../stop-on-signal.ts';
import { usageError } from '../usage-error.ts';
import { visible } from '../visible.ts';

const FAILED = 1;

export const devCommand = defineCommand({
  meta: {
    name: 'dev',
    description: 'Serve the agents of a file on this machine: API, step workers and data in one process',
  },
  args: {
    agents: {
      type: 'string',
      description: 'The agents file; else agents.ts, agents.js, agents.mjs or functions/agents/index.ts',
      valueHint: 'FILE',
    },
    port: {
      type: 'string',
      description: `The port; 0 takes a free one (default ${DEFAULT_PORT})`,
      valueHint: 'N',
    },
    data: {
      type: 'string',
      description: 'The data directory (default .stepfold)',
      valueHint: 'DIR',
    },
    host: {
      type: 'string',
      description: 'The address (default 127.0.0.1); any other needs STEPFOLD_TOKEN',
      valueHint: 'ADDR',
    },
    ...outputArgs,
  },
  async run({ args }) {
    const { agents, data, host } = args;
    const json = args.json === true;
    const port = portOf(args.port);
    outliveBrokenOutput();
    outliveFailures();
    // Loaded here, so that no other command loads the database.
    const { serve } = await import('../serve.ts');
    const served = await serve({
      port,
      report: printReport,
      notify: (line) => process.stderr.write(`${visible(line)}\n`),
      ...(agents !== undefined && { agents }),
      ...(data !== undefined && { dataDir: data }),
      ...(host !== undefined && { host }),
    }).catch((error) => {
      reportError(error, { json });
      // What an agents file has begun must not keep a server alive that does not serve.
      process.exit(FAILED);
    });
    const stopped = stopOnSignal(served.close);
    announceServer(served, { json, warnings: await warningsOf(agents) });
    await stopped;
    // A timer of an agent's own must not keep a stopped server alive.
    process.exit(0);
  },
});

function portOf(given: string | undefined): number {
  if (given === undefined) return DEFAULT_PORT;
  if (/^\d{1,5}$/.test(given) && Number(given) <= 65_535) return Number(given);
  throw usageError(`--port: expected a number from 0 to 65535, got ${JSON.stringify(given)}`);
}

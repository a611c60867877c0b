import { parseArgs } from 'node:util';
import * as z from 'zod';
import { openDesk } from './desk.ts';
import { controlSchema } from './faults.ts';
import { serveDesk } from './server.ts';

const HELP = `node main.ts --data FILE [--port N] [--control JSON]

The ticket desk of the sample agent: a service of its own, which can be told to misbehave.

  --data FILE      its SQLite file
  --port N         0 picks a free one (default 4871); it listens on 127.0.0.1 only
  --control JSON   what POST /control would be sent, for example
                   '{"keyWindow":"2s","routes":{"create_ticket":{"delayAfter":"5s","drop":1}}}'`;

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    port: { type: 'string', default: '4871' },
    control: { type: 'string', default: '{}' },
    help: { type: 'boolean', default: false },
  },
});
const port = z.coerce.number().int().min(0).max(65_535).safeParse(values.port);

if (values.help) console.log(HELP);
else if (values.data === undefined || !port.success)
  usage('expected --data FILE, and --port between 0 and 65535');
else await start(values.data, port.data);

async function start(file: string, port: number): Promise<void> {
  const desk = openDesk(file);
  desk.faults.apply(controlSchema.parse(JSON.parse(values.control)));
  const running = await serveDesk(desk, port);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      running.close();
      process.exit(0);
    });
  }
  console.log(`ticket desk listening on ${running.url}`);
}

function usage(problem: string): void {
  console.error(`${problem}\n\n${HELP}`);
  process.exitCode = 2;
}

import { defineCommand } from 'citty';
import type { verifyRun } from '../../runtime/verify-run.ts';
import { apiClient } from '../api-client.ts';
import { paint } from '../paint.ts';
import { print } from '../print.ts';
import { runArg, serverArgs } from '../shared-args.ts';
import { visible } from '../visible.ts';

type Verification = Awaited<ReturnType<typeof verifyRun>>;

const VIOLATED = 1;

export const verifyCommand = defineCommand({
  meta: { name: 'verify', description: "Check the guarantees over a run's log; exits 1 if one is violated" },
  args: { ...runArg, ...serverArgs },
  async run({ args }) {
    const found = await apiClient(args).get<Verification>(`/runs/${encodeURIComponent(args.run)}/verify`);
    print(args, found, () => inWords(found));
    return found.ok ? 0 : VIOLATED;
  },
});

function inWords({ ok, violations, notChecked }: Verification): string {
  const colour = paint(process.stdout);
  const broken = violations.map(
    ({ guarantee, message, events }) =>
      `${colour.red(`violated ${guarantee}`)}  ${visible(message)}${events.length > 0 ? ` (events ${events.join(', ')})` : ''}\n`,
  );
  const skipped = notChecked.map(
    ({ guarantee, why }) => `${colour.dim(`not checked ${guarantee}`)}  ${visible(why)}\n`,
  );
  return [ok ? `${colour.green('ok')}  no violation\n` : '', ...broken, ...skipped].join('');
}

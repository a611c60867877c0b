import { type ArgsDef, defineCommand } from 'citty';
import type { Decision } from '../../ports/decisions.ts';
import type { RunView } from '../../runtime/run-view.ts';
import { type ApiClient, apiClient } from '../api-client.ts';
import { stepfold } from '../command-name.ts';
import { formatLimits } from '../format-limits.ts';
import { howItGoesOn } from '../how-it-goes-on.ts';
import { limitsOf } from '../parse-limits.ts';
import { print } from '../print.ts';
import { pairsOf } from '../repeated-flag.ts';
import { BLOCKED, type Resume, resumeAll } from '../resume-all.ts';
import { byArg, limitArg, runArg, serverArgs } from '../shared-args.ts';
import { usageError } from '../usage-error.ts';
import { userName } from '../user-name.ts';
import { visible } from '../visible.ts';

const args = {
  run: { ...runArg.run, required: false },
  mode: {
    type: 'enum',
    options: ['verbatim', 'migrate'],
    description: 'Under changed code: as the run is, or by the migrations of its author',
  },
  ...limitArg,
  note: { type: 'string', description: 'A note that is logged', valueHint: 'TEXT' },
  ...byArg,
  all: { type: 'boolean', description: 'Every run of --agent that waits as a whole' },
  agent: { type: 'string', description: 'With --all: runs of this agent', valueHint: 'NAME' },
  reason: {
    type: 'enum',
    options: [...BLOCKED],
    description: 'With --all: only runs that wait for this reason',
  },
  ...serverArgs,
} as const satisfies ArgsDef;

export const resumeCommand = defineCommand({
  meta: {
    name: 'resume',
    description: 'Let a run go on that waits because of changed code, a spent budget or its model provider',
  },
  args,
  async run({ args: given, rawArgs }) {
    const { run, mode, note, agent, reason } = given;
    const limits = limitsOf(pairsOf({ args }, 'limit', rawArgs));
    const resume: Resume = {
      by: given.by ?? userName(),
      ...(mode !== undefined && { mode }),
      ...(limits && { limits }),
      ...(note !== undefined && { note }),
    };
    if (given.all) {
      if (run !== undefined) throw usageError('expected RUN or --all, got both');
      if (agent === undefined) throw usageError('expected --agent NAME with --all');
      return resumeAll(apiClient(given), given, { agent, resume, ...(reason !== undefined && { reason }) });
    }
    if (agent !== undefined || reason !== undefined)
      throw usageError('expected --all with --agent and --reason');
    if (run === undefined) throw usageError('expected RUN, or --all --agent NAME');
    await resumeOne(apiClient(given), given, { run, resume });
    return 0;
  },
});

async function resumeOne(
  api: ApiClient,
  out: { json?: boolean | undefined },
  { run, resume }: { run: string; resume: Resume },
): Promise<void> {
  const path = `/runs/${encodeURIComponent(run)}`;
  const { mode = await usualMode(api, path), ...rest } = resume;
  const made = await api.post<Decision>(`${path}/resume`, { ...rest, mode });
  const next = out.json ? '' : await howItGoesOn(api, { run, decided: made.interruptId });
  print(out, made, () => `${inWords(made)}${next}`);
}

/** Which code a run meets is never chosen for somebody. */
async function usualMode(api: ApiClient, path: string): Promise<'verbatim'> {
  const { runId, interrupts } = await api.get<RunView>(path);
  const [first] = interrupts.filter(({ reason }) => (BLOCKED as readonly string[]).includes(reason));
  if (first?.reason !== 'version_mismatch') return 'verbatim';
  throw usageError(
    `expected --mode verbatim or --mode migrate, because the agent of run ${runId} has changed; ` +
      `\`${stepfold(`show ${runId}`)}\` says what differs`,
  );
}

function inWords({ by, note, limits, accepted, decision }: Decision): string {
  const under = accepted ? `, under revision ${visible(accepted.revision)}` : '';
  const how = decision === 'migrate' ? ', by the migrations of its author' : under;
  const raised = limits ? `, with ${formatLimits(limits)}` : '';
  return `resumed by ${visible(by)}${note === undefined ? '' : `: ${visible(note)}`}${how}${raised}\n`;
}

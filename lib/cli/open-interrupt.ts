import { StepfoldError } from '../core/errors.ts';
import type { InterruptView, RunView } from '../runtime/run-view.ts';
import type { ApiClient } from './api-client.ts';
import { stepfold } from './command-name.ts';
import { usageError } from './usage-error.ts';
import { brief } from './visible.ts';

/**
 * The id of the interrupt that is meant: `named`, or the only open one that takes the decision.
 *
 * @throws StepfoldError `nothing_to_decide`; `bad_usage` where several are open.
 */
export async function openInterrupt(
  api: ApiClient,
  wanted: { run: string; decision: string; named: string | undefined },
): Promise<string> {
  if (wanted.named !== undefined) return wanted.named;
  const view = await api.get<RunView>(`/runs/${encodeURIComponent(wanted.run)}`);
  const open = view.interrupts.filter((interrupt) => interrupt.decisions.includes(wanted.decision));
  const [only] = open;
  if (only && open.length === 1) return only.interruptId;
  if (only) {
    throw usageError(
      `expected --interrupt ID, because several interrupts are open:\n${open.map(line).join('\n')}`,
    );
  }
  throw nothingToDecide(view, wanted.decision);
}

function line({ interruptId, tool, summary, args }: InterruptView): string {
  return `  --interrupt ${interruptId}  ${tool ?? ''} ${brief(summary ?? args, 60)}`;
}

function nothingToDecide(view: RunView, decision: string): StepfoldError {
  const { runId, status } = view;
  const others = view.interrupts.map(({ interruptId, reason, decisions }) => ({
    interruptId,
    reason,
    decisions,
  }));
  const told = others.map(
    (other) => `${other.interruptId} (${other.reason}) takes ${other.decisions.join(', ') || 'no decision'}`,
  );
  return new StepfoldError(
    'nothing_to_decide',
    `expected an open interrupt of run ${runId} that takes '${decision}'; the run is ${status} and ` +
      `${told.length === 0 ? 'waits for nobody' : told.join('; ')}. See \`${stepfold(`show ${runId}`)}\`.`,
    { details: { runId, status, interrupts: others } },
  );
}

import { StepfoldError } from '../core/errors.ts';
import type { InterruptView, RunView } from '../runtime/run-view.ts';
import type { ApiClient } from './api-client.ts';
import { stepfold } from './command-name.ts';
import { usageError } from './usage-error.ts';
import { brief, visible } from './visible.ts';

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

function line({ interruptId, tool, summary, question, args }: InterruptView): string {
  return `  --interrupt ${interruptId}  ${visible(tool ?? '')} ${brief(summary ?? question ?? args, 60)}`;
}

function nothingToDecide(view: RunView, decision: string): StepfoldError {
  const { runId, status } = view;
  const others = view.interrupts.map(({ interruptId, reason, decisions }) => ({
    interruptId,
    reason,
    decisions,
  }));
  const told = others.map(
    ({ interruptId, reason, decisions }) => `${interruptId} (${reason}) ${endOf(reason, decisions)}`,
  );
  return new StepfoldError(
    'nothing_to_decide',
    `expected an open interrupt of run ${runId} that takes '${decision}'; the run is ${status} and ` +
      `${told.length === 0 ? 'waits for nobody' : told.join('; ')}. See \`${stepfold(`show ${runId}`)}\`.`,
    { details: { runId, status, interrupts: others } },
  );
}

/** What ends an interrupt, where no decision does. */
const ENDS: Record<string, string> = {
  awaiting_signal: 'is ended by `stepfold signal`',
  awaiting_message: 'is ended by `stepfold send`',
  awaiting_child: 'ends with the child run',
  timer: 'ends at its time',
  version_mismatch: 'is ended by `stepfold resume`',
  budget_exceeded: 'is ended by `stepfold resume`',
  provider_blocked: 'is ended by `stepfold resume`',
};

function endOf(reason: string, decisions: readonly string[]): string {
  return ENDS[reason] ?? `takes ${decisions.join(', ')}`;
}

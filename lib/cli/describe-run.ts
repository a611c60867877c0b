import type { RunView } from '../runtime/run-view.ts';
import { stepfold } from './command-name.ts';
import { describeInterrupt } from './describe-interrupt.ts';
import { formatLimits } from './format-limits.ts';
import { formatAge, formatInstant } from './format-time.ts';
import { type Paint, paint, paintStatus } from './paint.ts';
import { payload, type Row, rows, text } from './rows.ts';
import { visible } from './visible.ts';
import { who } from './who.ts';

/**
 * A run for people: what it is, where it stands, and the command that moves it on. `unresolved` names the calls of a
 * cancelled run whose outcome nobody knows.
 */
export function describeRun(
  run: RunView,
  stream: { isTTY?: boolean },
  unresolved: readonly string[] = run.unresolved ?? [],
): string {
  const colour = paint(stream);
  const lines: Row[] = [
    ['run', run.runId],
    ...aboutRun(run),
    ['status', statusOf(run, colour)],
    ['labels', labelsOf(run)],
    ...endOf(run, unresolved),
    ...usageOf(run),
    ['input', payload(run.input, run.inputRef)],
    ...Object.entries(run.values).map(([key, value]): Row => [`  ${visible(key)}`, text(value)]),
    ['output', payload(run.output, run.outputRef)],
    ['error', run.error && `${visible(run.error.message)} (${visible(run.error.code)})`],
    ...stallOf(run),
    ...run.evidence.map(({ callId, outcome }): Row => ['evidence', `${callId}: ${text(outcome)}`]),
  ];
  const waits = run.interrupts.map((interrupt) => describeInterrupt(run, interrupt, colour));
  return [rows(lines, colour), ...waits].join('');
}

/** How a run ended that somebody has cancelled, or that ended before the cancel came. */
export function describeEnd(
  run: RunView,
  unresolved: readonly string[],
  stream: { isTTY?: boolean },
): string {
  const colour = paint(stream);
  const lines: Row[] = [['run', run.runId], ['status', statusOf(run, colour)], ...endOf(run, unresolved)];
  return rows(lines, colour);
}

function aboutRun(run: RunView): Row[] {
  const revision = run.revision === undefined ? '' : ` (revision ${visible(run.revision)})`;
  const { parent } = run;
  return [
    ['agent', `${visible(run.agent)}${revision}`],
    ['parent', parent && `${parent.runId}; see ${stepfold(`show ${parent.runId}`)}`],
  ];
}

function labelsOf(run: RunView): string | undefined {
  const labels = Object.entries(run.labels).map(([key, value]) => visible(`${key}=${value}`));
  return labels.join(' ') || undefined;
}

function statusOf(run: RunView, colour: Paint): string {
  const status = paintStatus(run.status, colour);
  return run.cancelRequested ? `${status}, ${colour.yellow('cancelling')}` : status;
}

function endOf(run: RunView, unresolved: readonly string[]): Row[] {
  const { cancel } = run;
  const calls = visible(unresolved.join(', '));
  return [
    [
      'cancel',
      cancel &&
        `by ${visible(who(cancel.by))}, ${formatAge(cancel.at)}${cancel.reason === undefined ? '' : `: ${visible(cancel.reason)}`}`,
    ],
    [
      'unresolved',
      calls ? `${calls}: nobody knows whether ${unresolved.length > 1 ? 'they' : 'it'} happened` : undefined,
    ],
    ['started', `${formatInstant(run.createdAt)} (${formatAge(run.createdAt)})`],
    run.endedAt === undefined
      ? ['updated', `${formatInstant(run.updatedAt)} (${formatAge(run.updatedAt)})`]
      : ['ended', `${formatInstant(run.endedAt)} (${formatAge(run.endedAt)})`],
  ];
}

function usageOf({ steps, usage, limits }: RunView): Row[] {
  const { modelCalls, toolCalls, inputTokens, outputTokens, costUsd } = usage;
  return [
    ['steps', `${steps} (model calls ${modelCalls}, tool calls ${toolCalls})`],
    ['tokens', `${inputTokens} in, ${outputTokens} out`],
    ['cost', costUsd === undefined ? undefined : `${Number(costUsd.toFixed(6))} US dollars`],
    ['limits', formatLimits(limits) || undefined],
  ];
}

function stallOf({ stalled }: RunView): Row[] {
  if (!stalled) return [];
  return [['stalled', `${visible(stalled.cause)} (${visible(stalled.code)}), ${formatAge(stalled.at)}`]];
}

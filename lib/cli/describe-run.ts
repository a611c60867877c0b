import type { Ref } from '../core/event-parts.ts';
import type { Json } from '../core/json.ts';
import type { InterruptView, RunView } from '../runtime/run-view.ts';
import { stepfold } from './command-name.ts';
import { REASONS } from './describe-event.ts';
import { formatAge, formatInstant } from './format-time.ts';
import { paint, paintStatus } from './paint.ts';
import { visible } from './visible.ts';

const LABEL = 10;

/** A run for people: what it is, where it stands, and the command that moves it on. */
export function describeRun(run: RunView, stream: { isTTY?: boolean }): string {
  const colour = paint(stream);
  const { usage } = run;
  const lines: [label: string, text: string | undefined][] = [
    ['run', run.runId],
    [
      'agent',
      `${visible(run.agent)}${run.revision === undefined ? '' : ` (revision ${visible(run.revision)})`}`,
    ],
    ['status', paintStatus(run.status, colour)],
    [
      'labels',
      Object.entries(run.labels)
        .map(([key, value]) => visible(`${key}=${value}`))
        .join(' ') || undefined,
    ],
    ['started', `${formatInstant(run.createdAt)} (${formatAge(run.createdAt)})`],
    run.endedAt === undefined
      ? ['updated', `${formatInstant(run.updatedAt)} (${formatAge(run.updatedAt)})`]
      : ['ended', `${formatInstant(run.endedAt)} (${formatAge(run.endedAt)})`],
    ['steps', `${run.steps} (model calls ${usage.modelCalls}, tool calls ${usage.toolCalls})`],
    ['tokens', `${usage.inputTokens} in, ${usage.outputTokens} out`],
    ['input', payload(run.input, run.inputRef)],
    ...Object.entries(run.values).map(([key, value]): [string, string] => [`  ${visible(key)}`, text(value)]),
    ['output', payload(run.output, run.outputRef)],
    ['error', run.error && `${visible(run.error.message)} (${visible(run.error.code)})`],
    ['unresolved', run.unresolved?.join(', ') || undefined],
    [
      'stalled',
      run.stalled &&
        `${visible(run.stalled.cause)} (${visible(run.stalled.code)}), ${formatAge(run.stalled.at)}`,
    ],
    ...run.evidence.map(({ callId, outcome }): [string, string] => [
      'evidence',
      `${callId}: ${text(outcome)}`,
    ]),
  ];
  const shown = lines.flatMap(([label, said]) =>
    said === undefined ? [] : [row(colour.dim(label.padEnd(LABEL)), said)],
  );
  return [
    ...shown,
    ...run.interrupts.map((interrupt) => describeInterrupt(run.runId, interrupt, colour)),
  ].join('');
}

function describeInterrupt(
  runId: string,
  interrupt: InterruptView,
  colour: ReturnType<typeof paint>,
): string {
  const { interruptId, reason, tool, summary, args, argsRef, decisions } = interrupt;
  const words = REASONS[reason as keyof typeof REASONS] ?? reason;
  const lines: [label: string, text: string | undefined][] = [
    ['what', summary === undefined ? undefined : visible(summary)],
    ['arguments', payload(args, argsRef)],
    ['risk', interrupt.risk && visible(interrupt.risk)],
    ['key', interrupt.idempotencyKey],
    ['sent', interrupt.sentAt && `${formatInstant(interrupt.sentAt)}, attempt ${interrupt.attempt ?? 1}`],
    ['error', interrupt.error && visible(interrupt.error.message)],
    ['retry', interrupt.retryAfter && `possible from ${formatInstant(interrupt.retryAfter)}`],
    ['expires', interrupt.expiresAt && formatInstant(interrupt.expiresAt)],
    ...commandsFor(runId, interruptId, decisions),
  ];
  const heading = `\n${colour.yellow(`${tool === undefined ? '' : `${visible(tool)} `}${words}`)} (interrupt ${interruptId}, ${formatAge(interrupt.since)})\n`;
  const rows = lines.map(([label, said]) =>
    said === undefined ? '' : row(`  ${colour.dim(label.padEnd(LABEL))}`, said),
  );
  return `${heading}${rows.join('')}`;
}

/** Each command on a line of its own, to be copied. */
function commandsFor(runId: string, interruptId: string, decisions: readonly string[]): [string, string][] {
  const which = `${runId} --interrupt ${interruptId}`;
  if (decisions.length === 0) return [];
  if (!decisions.includes('approve'))
    return [['decide', stepfold(`resolve ${which} --decision ${decisions.join('|')}`)]];
  return [
    ['decide', stepfold(`approve ${which}`)],
    ['or', stepfold(`deny ${which} --note "why"`)],
  ];
}

function row(label: string, said: string): string {
  return `${label}  ${said}\n`;
}

function payload(value: Json | undefined, ref: Ref | undefined): string | undefined {
  if (ref) return `${ref.bytes} bytes, ${ref.sha256}`;
  return value === undefined ? undefined : text(value);
}

/** Text keeps its lines; other values are JSON. Nothing is cut: who decides must see it all. */
function text(value: Json): string {
  return typeof value === 'string' ? visible(value, { lines: true }) : visible(JSON.stringify(value));
}

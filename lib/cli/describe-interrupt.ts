import type { InterruptView, RunView } from '../runtime/run-view.ts';
import { type Facts, REASONS } from './describe-wait.ts';
import { formatLimit } from './format-limits.ts';
import { formatAge, formatInstant } from './format-time.ts';
import type { Paint } from './paint.ts';
import { payload, type Row, rows } from './rows.ts';
import { visible } from './visible.ts';
import { waysOn } from './ways-on.ts';

/** What a run waits for, everything that a person needs to decide, and the commands that end the wait. */
export function describeInterrupt(run: RunView, interrupt: InterruptView, colour: Paint): string {
  const { interruptId, reason, tool, since } = interrupt;
  const words = REASONS[reason as keyof typeof REASONS] ?? visible(reason);
  const what = `${tool === undefined ? '' : `${visible(tool)} `}${words}`;
  const heading = `\n${colour.yellow(what)} (interrupt ${interruptId}, ${formatAge(since)})\n`;
  const lines = [...about(interrupt), ...whole(interrupt), ...waysOn(run, interrupt)];
  return `${heading}${rows(lines, colour, '  ')}`;
}

function about(interrupt: InterruptView): Row[] {
  const { summary, question, name, child, args, argsRef, schema, schemaRef, expiresAt, onExpiry } = interrupt;
  const asked = question !== undefined || name !== undefined || child !== undefined;
  return [
    ['what', summary === undefined ? undefined : visible(summary)],
    ['question', question === undefined ? undefined : visible(question, { lines: true })],
    ['schema', payload(schema, schemaRef)],
    ['name', name === undefined ? undefined : visible(name)],
    ['child', child && `${child.runId} of ${visible(child.agent)}`],
    // The arguments of a question are the question and its schema.
    ['arguments', asked && !child ? undefined : payload(args, argsRef)],
    ['risk', interrupt.risk && visible(interrupt.risk)],
    ['key', interrupt.idempotencyKey],
    ['sent', interrupt.sentAt && `${formatInstant(interrupt.sentAt)}, attempt ${interrupt.attempt ?? 1}`],
    [
      'error',
      interrupt.error &&
        `${visible(interrupt.error.message, { lines: true })} (${visible(interrupt.error.code)})`,
    ],
    ['retry', interrupt.retryAfter && `possible from ${formatInstant(interrupt.retryAfter)}`],
    [
      interrupt.reason === 'timer' ? 'until' : 'expires',
      expiresAt &&
        `${formatInstant(expiresAt)} (${formatAge(expiresAt)})${onExpiry ? '; then it is denied' : ''}`,
    ],
  ];
}

/** Which limit was met, and what differs, line by line. */
function whole({ facts, factsRef }: InterruptView): Row[] {
  const { limit, used, allowed, started, deployed, differences = [] } = (facts ?? {}) as Facts;
  const size = (value = 0) => formatLimit(limit ?? '', value);
  return [
    ['facts', payload(undefined, factsRef)],
    ['limit', limit === undefined ? undefined : `${visible(limit)}: ${size(used)} used of ${size(allowed)}`],
    ['started', started && `as revision ${visible(started.revision)}`],
    ['deployed', deployed && `revision ${visible(deployed.revision)}`],
    ...differences.map((words, index): Row => [index === 0 ? 'differs' : '', visible(words)]),
  ];
}

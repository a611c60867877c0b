import type { Report } from '../runtime/runtime.ts';
import { paint } from './paint.ts';
import { visible } from './visible.ts';

/** Writes a line of the service's log to stderr. */
export function printReport({ level, message, runId, step, fields }: Report): void {
  if (level === 'debug') return;
  const colour = paint(process.stderr);
  const dress = { info: colour.dim, warn: colour.yellow, error: colour.red }[level];
  const where = runId === undefined ? '' : ` ${runId}${step === undefined ? '' : ` step ${step}`}`;
  const facts = fields && Object.keys(fields).length > 0 ? ` ${visible(JSON.stringify(fields))}` : '';
  process.stderr.write(`${dress(level)}${where} ${visible(message)}${colour.dim(facts)}\n`);
}

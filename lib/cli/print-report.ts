import type { Report } from '../runtime/runtime.ts';
import { stepfold } from './command-name.ts';
import { paint } from './paint.ts';
import { visible } from './visible.ts';

/** Writes a line of the service's log to stderr. */
export function printReport(report: Report): void {
  const { level, runId, step } = report;
  if (level === 'debug') return;
  const colour = paint(process.stderr);
  const dress = { info: colour.dim, warn: colour.yellow, error: colour.red }[level];
  const where = runId === undefined ? '' : ` ${runId}${step === undefined ? '' : ` step ${step}`}`;
  const { message, fields = {} } = inWords(report);
  const facts = Object.keys(fields).length > 0 ? ` ${visible(JSON.stringify(fields))}` : '';
  process.stderr.write(`${dress(level)}${where} ${visible(message)}${colour.dim(facts)}\n`);
}

/** A sentence for people where there is one, else the report as it is. */
function inWords(report: Report): Pick<Report, 'message' | 'fields'> {
  const { runId, fields, message } = report;
  if (runId === undefined || fields?.code !== 'unknown_agent') return report;
  const [, name] = /got ("(?:[^"\\]|\\.)*")$/.exec(message) ?? [];
  return {
    message:
      `is set aside, because its agent${name === undefined ? '' : ` ${name}`} is not served here; ` +
      `it goes on once that is served again. See \`${stepfold(`show ${runId}`)}\`.`,
  };
}

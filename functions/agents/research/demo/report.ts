import { relative } from 'node:path';
import { table } from '../../../../lib/cli/table.ts';
import type { Counts } from './count.ts';
import { recordFiles } from './records.ts';

/** What was counted, each number with the file it was counted from, and where the files are. */
export function report(counts: Counts, directory: string): string {
  const rows = rowsOf(counts).map(([what, number, from]) => [what, String(number).padStart(6), from]);
  const files = Object.values(recordFiles(directory)).map((file) => `  ${relative('.', file)}\n`);
  return `\n${table(['counted', 'number', 'from'], rows)}\nCounted from\n${files.join('')}`;
}

function rowsOf(counts: Counts): [what: string, number: number | string, from: string][] {
  const {
    create_ticket: create,
    post_comment: comment,
    page_oncall: page,
    close_ticket: close,
  } = counts.desk;
  const log = 'stepfold.db, by GET /runs';
  const desk = 'desk.db';
  return [
    ['servers killed', counts.kills, 'server.log'],
    ['runs completed', `${counts.completed}/${counts.runs}`, log],
    ['model calls answered in the logs', counts.modelAnswers, log],
    ['model calls that the model received', counts.modelCalls, 'model.jsonl'],
    ['finished model calls sent again', counts.modelCallsResent, 'model.jsonl, stepfold.db'],
    ['requests to open a ticket', create.received, desk],
    ['questions whether a ticket exists', counts.askedByKey, desk],
    ['tickets', counts.tickets, desk],
    ['most tickets on any key', counts.ticketsPerKey, desk],
    ['requests to comment / comments', `${comment.received}/${comment.done}`, desk],
    ['requests to page / pages', `${page.received}/${page.done}`, desk],
    ['requests to close / tickets closed', `${close.received}/${close.done}`, desk],
    ['violations', counts.violations, 'stepfold.db, by GET /runs/{id}/verify, and desk.db'],
  ];
}

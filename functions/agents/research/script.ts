import type { LanguageModelV4Prompt } from '@ai-sdk/provider';
import * as z from 'zod';
import type { ScriptItem } from '../../../lib/testing/index.ts';
import { questionIn, resultsIn } from './read-prompt.ts';

/**
 * What the sample's scripted model says: search twice at once, open a ticket, comment, page, close, conclude. Each item
 * is a function of the prompt alone, so that a run goes on after a kill as if nothing had happened.
 */
export const script: ScriptItem[] = [search, openTicket, comment, page, close, conclude];

function search(prompt: LanguageModelV4Prompt) {
  return {
    text: 'I will look in the notes.',
    toolCalls: [
      { name: 'search_notes', args: { query: questionIn(prompt).slice(0, 500) || 'incident' } },
      {
        name: 'search_notes',
        args: { query: 'deploy, rollback and timeout of that day; who is on call', most: 3 },
      },
    ],
  };
}

function openTicket(prompt: LanguageModelV4Prompt) {
  const found = findings(prompt);
  if (found.length === 0) return `The notes say nothing about: ${questionIn(prompt)}`;
  const title = `Follow up: ${questionIn(prompt)}`.slice(0, 200);
  return {
    toolCalls: [{ name: 'create_ticket', args: { title, body: found.slice(0, 2).map(quote).join('\n\n') } }],
  };
}

function comment(prompt: LanguageModelV4Prompt) {
  const ticket = ticketIn(prompt);
  if (ticket === undefined)
    return `${answer(prompt)}\n\nNo ticket was opened: ${problemOf(prompt, 'create_ticket')}.`;
  const sources = findings(prompt).map(source).join(', ');
  return { toolCalls: [{ name: 'post_comment', args: { ticket, text: `Sources: ${sources}` } }] };
}

function page(prompt: LanguageModelV4Prompt) {
  const message = `Please read ${ticketIn(prompt)}: ${questionIn(prompt)}`.slice(0, 500);
  return { toolCalls: [{ name: 'page_oncall', args: { severity: 'high', message } }] };
}

function close(prompt: LanguageModelV4Prompt) {
  const resolution = `Answered from ${findings(prompt).slice(0, 1).map(source).join()}.`;
  return { toolCalls: [{ name: 'close_ticket', args: { ticket: ticketIn(prompt), resolution } }] };
}

function conclude(prompt: LanguageModelV4Prompt): string {
  const ticket = ticketIn(prompt);
  const commented = problemOf(prompt, 'post_comment');
  const paged = problemOf(prompt, 'page_oncall');
  const closed = problemOf(prompt, 'close_ticket');
  return [
    `${answer(prompt)}\n`,
    closed === undefined ? `${ticket} is closed.` : `${ticket} stays open (${closed}).`,
    commented === undefined
      ? 'Its sources are in a comment.'
      : `The sources could not be added (${commented}).`,
    paged === undefined ? 'The engineer on call was paged.' : `Whether a page went out: ${paged}.`,
  ].join('\n');
}

function answer(prompt: LanguageModelV4Prompt): string {
  return findings(prompt).slice(0, 2).map(quote).join('\n\n');
}

const passageSchema = z.object({ note: z.string(), line: z.number(), text: z.string() });
type Passage = z.output<typeof passageSchema>;

/** The passages that were found, each once; first the cause, where the best note states one. */
function findings(prompt: LanguageModelV4Prompt): Passage[] {
  const found = resultsIn(prompt, 'search_notes').flatMap((shown) => {
    const result = z.object({ value: z.object({ passages: z.array(passageSchema) }) }).safeParse(shown);
    return result.success ? result.data.value.passages : [];
  });
  const cause = found.find(({ note, text }) => note === found[0]?.note && text.startsWith('Cause:'));
  const bySource = new Map(
    [...(cause ? [cause] : []), ...found].map((passage) => [source(passage), passage]),
  );
  return [...bySource.values()];
}

function source({ note, line }: Passage): string {
  return `${note}:${line}`;
}

function quote(passage: Passage): string {
  return `${passage.text.replaceAll('\n', ' ')} [${source(passage)}]`;
}

function ticketIn(prompt: LanguageModelV4Prompt): string | undefined {
  const result = z.object({ value: z.object({ ticket: z.string() }) });
  return resultsIn(prompt, 'create_ticket')
    .map((shown) => result.safeParse(shown).data?.value.ticket)
    .find((ticket) => ticket !== undefined);
}

function problemOf(prompt: LanguageModelV4Prompt, tool: string): string | undefined {
  const shown = resultsIn(prompt, tool).at(-1);
  return shown && 'problem' in shown ? shown.problem : undefined;
}

import { execFile } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { type Agent, defineAgent } from '../../lib/agent.ts';
import type { RunKey } from '../../lib/ports/run-key.ts';
import { resumeRun } from '../../lib/runtime/resume-run.ts';
import { cancelRun, sendMessage, sendSignal } from '../../lib/runtime/tell-run.ts';
import { ROOT } from '../readme/documents.ts';
import { cloneDirectory, examples, fileName, loadExample } from './examples.ts';
import { stageOf } from './stage.ts';

const DAY = 86_400_000;
const directory = cloneDirectory();
const found = examples();
const told = new Set<string>();

afterAll(() => rmSync(directory, { recursive: true }));

async function agentsUnder(heading: string): Promise<Agent[]> {
  told.add(heading);
  const example = found.find((each) => each.heading === heading);
  if (!example) throw new Error(`no page has an example under "${heading}"`);
  return loadExample(directory, example);
}

async function stageUnder(heading: string) {
  return stageOf(await agentsUnder(heading));
}

type Stage = ReturnType<typeof stageOf>;

async function completed(stage: Stage, run: RunKey, output: unknown): Promise<void> {
  expect(await stage.view(run)).toMatchObject({ status: 'completed', output });
  expect(await stage.violations(run)).toEqual([]);
}

test('A tool: a call is given its arguments with their defaults', async () => {
  const stage = await stageUnder('A tool');
  const run = await stage.start('How is it in Rome?');
  await completed(stage, run, 'It is 21 °C in Rome.');
  const [requested] = await stage.events(run, 'tool_call_requested');
  expect(requested).toMatchObject({ effect: 'read', args: { city: 'Rome', unit: 'C' } });
});

test('The four effects: each is logged with its times, and all four calls are made', async () => {
  const stage = await stageUnder('The four effects');
  const run = await stage.start('Rent.');
  await completed(stage, run, 'All four are done.');
  const requested = await stage.events(run, 'tool_call_requested');
  expect(
    Object.fromEntries(
      requested.map(({ name, effect, window, horizon }) => [name, { effect, window, horizon }]),
    ),
  ).toEqual({
    search: { effect: 'read' },
    pay: { effect: 'keyed', window: DAY },
    open_ticket: { effect: 'lookup', horizon: 60_000 },
    page: { effect: 'once', horizon: 60_000 },
  });
});

test('What an error means: final, tried again, or unknown', async () => {
  const stage = await stageUnder('What an error means');
  const run = await stage.start('Charge it.');
  await completed(stage, run, 'Charged.');
  const [refused, charged] = await stage.events(run, 'tool_returned');
  expect(refused?.error?.message).toContain('The limit is 1,000 dollars.');
  expect(charged).toMatchObject({ result: { charged: 2_000, key: `${run.runId}:4` } });
  expect((await stage.events(run, 'tool_call_failed')).map(({ outcome }) => outcome)).toEqual([
    'failed',
    'unknown',
  ]);
});

test('Approvals: only what `when` names is asked about, with its summary, risk and expiry', async () => {
  const stage = await stageUnder('Approvals');
  const run = await stage.start('Refund A-1 and A-2.');
  const { interrupts } = await stage.view(run);
  expect(interrupts).toMatchObject([{ summary: 'Refund 80 € for A-2', risk: 'medium' }]);
  const { since = '', expiresAt = '' } = interrupts[0] ?? {};
  expect(Date.parse(expiresAt) - Date.parse(since)).toBe(7 * DAY);
  await stage.decide(run, 'approve');
  await completed(stage, run, 'That is all.');
  expect(await stage.events(run, 'tool_call_requested')).toHaveLength(2);

  const denied = await stage.start('Refund A-1 and A-2.');
  await stage.decide(denied, 'deny', { note: 'not for this customer' });
  expect((await stage.events(denied, 'tool_returned')).at(-1)).toMatchObject({
    source: 'denied',
    error: { message: 'not for this customer' },
  });

  const late = await stage.start('Refund A-1 and A-2.');
  await stage.rest(8 * DAY);
  expect((await stage.events(late, 'tool_returned')).at(-1)).toMatchObject({ source: 'denied' });
});

test('State: what a tool has set is there for its next call, and shown', async () => {
  const stage = await stageUnder('State');
  const run = await stage.start('Count the sheep.');
  await completed(stage, run, 'Two sheep.');
  expect((await stage.view(run)).values).toEqual({ sheep: 2 });
});

test('Time: the run sleeps for two days, and not less', async () => {
  const stage = await stageUnder('Time');
  const began = stage.world.clock.now();
  const run = await stage.start('Rest.');
  expect((await stage.view(run)).interrupts).toMatchObject([{ reason: 'timer' }]);
  await stage.rest(3 * DAY);
  await completed(stage, run, 'Good morning.');
  expect(stage.world.clock.now() - began).toBeGreaterThanOrEqual(2 * DAY);
});

test('People: an answer that misfits is refused, one that fits is the result', async () => {
  const stage = await stageUnder('People');
  const run = await stage.start('Plan the party.');
  await expect(stage.decide(run, 'answer', { value: 'many' })).rejects.toMatchObject({
    code: 'wrong_answer',
  });
  await stage.decide(run, 'answer', { value: 40 });
  await completed(stage, run, 'Thank you.');
  expect(await stage.events(run, 'tool_returned')).toMatchObject([{ result: 40 }]);

  const asked = await stage.start('Plan the party.');
  await stage.rest(8 * DAY);
  expect(await stage.events(asked, 'tool_returned')).toMatchObject([{ result: { timedOut: true } }]);
});

test('Signals: one ends the wait for its name, once for each id', async () => {
  const stage = await stageUnder('Signals');
  const run = await stage.start('Follow the parcel.');
  const signal = { name: 'delivered', payload: { door: 'back' }, signalId: 'parcel-7' };
  await sendSignal(stage.runtime(), run, signal);
  await sendSignal(stage.runtime(), run, signal);
  await stage.rest();
  await completed(stage, run, 'The parcel is there.');
  expect(await stage.events(run, 'signal_received')).toHaveLength(1);
  expect(await stage.events(run, 'tool_returned')).toMatchObject([{ result: { payload: { door: 'back' } } }]);
});

test('Conversations: each message is answered, and a final one lets it end', async () => {
  const stage = await stageUnder('Conversations');
  const run = await stage.start('Hello.');
  expect((await stage.view(run)).interrupts).toMatchObject([{ reason: 'awaiting_message' }]);
  await sendMessage(stage.runtime(), run, { content: 'When do you open?' });
  await stage.rest();
  expect((await stage.view(run)).status).toBe('paused');
  await sendMessage(stage.runtime(), run, { content: 'Thank you, that is all.', final: true });
  await stage.rest();
  await completed(stage, run, 'Goodbye.');
});

test('Cancel: a run that sleeps is cancelled, and who did it and why is shown', async () => {
  const stage = await stageUnder('Time');
  const run = await stage.start('Rest.');
  await cancelRun(stage.runtime(), run, { by: 'ann', reason: 'no need any more' });
  await stage.rest();
  expect(await stage.view(run)).toMatchObject({
    status: 'cancelled',
    cancel: { by: 'ann', reason: 'no need any more' },
    unresolved: [],
  });
  await expect(sendMessage(stage.runtime(), run, { content: 'Wake up.' })).rejects.toMatchObject({
    code: 'run_ended',
  });
});

test('Child runs: the child is a run of its own, and its output is the result', async () => {
  const stage = await stageUnder('Child runs');
  const run = await stage.start('Good morning');
  await completed(stage, run, 'It is "Guten Morgen".');
  expect(await stage.events(run, 'tool_returned')).toMatchObject([{ result: 'Guten Morgen' }]);
  const [waited] = await stage.events(run, 'interrupted');
  const child = { ...run, runId: waited?.child?.runId ?? '' };
  expect(await stage.view(child)).toMatchObject({ status: 'completed', parent: { runId: run.runId } });
});

test('A scripted model: an item may be a function of the prompt', async () => {
  const agents = await agentsUnder('A scripted model');
  const model = agents[0]?.model;
  const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Throw.' }] }];
  expect(await model?.doGenerate({ prompt })).toMatchObject({
    content: [
      { type: 'text', text: 'I will throw it.' },
      { type: 'tool-call', toolName: 'dice' },
    ],
  });
  const stage = stageOf(agents);
  await completed(stage, await stage.start('Throw.'), 'You have a four.');
});

test('Settings and typed output: a misfit goes back to the model, what fits is the output', async () => {
  const stage = await stageUnder('Settings and typed output');
  const run = await stage.start('Rome?');
  await completed(stage, run, { city: 'Rome', degrees: 21 });
  const [asked] = await stage.events(run, 'model_call_requested');
  expect(asked?.params).toMatchObject({ settings: { maxOutputTokens: 4_000, temperature: 0.2 } });
  const [misfit] = await stage.events(run, 'message_received');
  expect(misfit?.entry).toBeUndefined();
  expect(misfit?.content).toContain('it is not JSON');
});

test('History: whole turns from the end are sent, and the log says what was left out', async () => {
  const stage = await stageUnder('History');
  const run = await stage.start('Read the book.');
  await completed(stage, run, 'I have read it.');
  const asked = await stage.events(run, 'model_call_requested');
  expect(asked.map(({ params }) => (params as { history: object }).history)).toEqual(
    [0, 0, 0, 2, 4, 6].map((omittedMessages) => ({ turns: 2, omittedMessages })),
  );
});

test('Limits and prices: at a limit the run waits, and goes on with a higher one', async () => {
  const stage = await stageUnder('Limits and prices');
  const run = await stage.start('Dig.', { steps: 4 });
  expect((await stage.view(run)).interrupts).toMatchObject([
    { reason: 'budget_exceeded', facts: { limit: 'steps', allowed: 4, used: 4 } },
  ]);
  const resume = { mode: 'verbatim' as const, by: 'ann' };
  await expect(resumeRun(stage.runtime(), run, { ...resume, limits: { steps: 4 } })).rejects.toMatchObject({
    code: 'limits_required',
  });
  await resumeRun(stage.runtime(), run, { ...resume, limits: { steps: 10 } });
  await stage.rest();
  await completed(stage, run, 'A coin!');
  const { usage } = await stage.view(run);
  expect(usage.costUsd).toBeGreaterThan((3 * (1_000 * 3 + 100 * 15)) / 1_000_000);
  await expect(stage.start('Dig.', { steps: 6 })).rejects.toMatchObject({ code: 'limits_above' });
});

test('Versions and migrations: a run of revision 1 becomes one of revision 2 by itself', async () => {
  const after = await agentsUnder('Versions and migrations');
  const { stage, run } = await startedUnder('1', after);
  stage.serve(after);
  await stage.decide(run, 'answer', { value: 'yes' });
  await completed(stage, run, 'Done.');
  expect(await stage.events(run, 'version_migrated')).toMatchObject([
    { from: '1', to: '2', values: { euros: 0 } },
  ]);
  expect((await stage.view(run)).values).toEqual({ euros: 0 });
});

test('Versions and migrations: where none fits the run waits, says what differs, and is accepted as it is', async () => {
  const after = await agentsUnder('Versions and migrations');
  const { stage, run } = await startedUnder('0', after);
  stage.serve(after);
  await stage.decide(run, 'answer', { value: 'yes' });
  const [open] = (await stage.view(run)).interrupts;
  expect(open).toMatchObject({ reason: 'version_mismatch' });
  expect(JSON.stringify(open?.facts)).toContain('line 1 of the instructions was: Count in cents.');
  await expect(resumeRun(stage.runtime(), run, { mode: 'migrate', by: 'ann' })).rejects.toMatchObject({
    code: 'no_migration',
  });
  await resumeRun(stage.runtime(), run, { mode: 'verbatim', by: 'ann' });
  await stage.rest();
  await completed(stage, run, 'Done.');
});

/** A run of an earlier revision of the example, which waits for a person. */
async function startedUnder(revision: string, [agent]: readonly Agent[]) {
  if (!agent) throw new Error('the example exports no agent');
  const { name, model, tools } = agent;
  const stage = stageOf([defineAgent({ name, revision, model, tools, instructions: 'Count in cents.' })]);
  return { stage, run: await stage.start('Count.') };
}

test('every example of the pages is played, and is correctly typed', async () => {
  expect(found.map(({ heading }) => heading).filter((heading) => !told.has(heading))).toEqual([]);
  for (const { heading, source } of found) writeFileSync(join(directory, fileName(heading)), source);
  writeFileSync(
    join(directory, 'tsconfig.json'),
    JSON.stringify({ extends: join(ROOT, 'tsconfig.json'), include: ['*.ts'] }),
  );
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const { stdout } = await promisify(execFile)(process.execPath, [tsc, '-p', directory]).catch(
    (error) => error,
  );
  expect(stdout).toBe('');
});

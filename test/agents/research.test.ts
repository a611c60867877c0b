import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Agent } from '../../lib/index.ts';
import { registryOf } from '../../lib/registry.ts';
import { DeskProcess, deskFile } from './desk-process.ts';
import { context, runByHand } from './run-by-hand.ts';

const QUESTION = 'Why did checkout fail on Monday?';
let file: string;
let desk: DeskProcess;

beforeAll(async () => {
  file = deskFile();
  desk = await DeskProcess.start(file);
});
afterAll(async () => {
  await desk.end();
});
beforeEach(() => {
  vi.resetModules();
  vi.stubEnv('STEPFOLD_DESK_URL', desk.url);
  vi.stubEnv('STEPFOLD_SCRIPT_DELAY', '0');
});
afterEach(() => {
  vi.unstubAllEnvs();
});

/** The sample as a fresh process would load it in the present environment. */
async function load(): Promise<Agent> {
  const agents = await import('../../functions/agents/index.ts');
  const agent = registryOf(agents.default).get('research');
  if (!agent) throw new Error('the sample is not in the registry');
  return agent;
}

describe('the sample agent', () => {
  // A new value parks every run that began before it: raise the agent's revision with it, or find out what changed.
  test('tells the model the same as ever', async () => {
    const { promptHash, warnings } = await load();
    expect(promptHash).toBe('6bbac1c7d5323de7674cd54982ce715d4d33cb42b3c28372e7e0f0a8d8bdfa45');
    expect(warnings).toEqual([]);
  });

  test('shows every effect', async () => {
    vi.stubEnv('STEPFOLD_DESK_HORIZON', '2s');
    const { tools } = await load();
    const effects = Object.fromEntries(
      tools.map(({ name, effect: { kind, window, horizon } }) => [name, { kind, window, horizon }]),
    );
    expect(effects).toEqual({
      search_notes: { kind: 'read' },
      create_ticket: { kind: 'lookup', horizon: 2_000 },
      post_comment: { kind: 'keyed', window: 86_400_000 },
      page_oncall: { kind: 'once', horizon: 2_000 },
      close_ticket: { kind: 'keyed', window: 86_400_000 },
    });
    const close = tools.find(({ name }) => name === 'close_ticket');
    expect(close?.approval).toMatchObject({ risk: 'medium', expiresInMs: 7 * 86_400_000 });
    expect(close?.approval?.summary?.({ ticket: 'T-1', resolution: 'done' })).toBe('Close T-1: done');
  });

  test.each([
    ['STEPFOLD_DESK_URL', 'desk', 'bad_environment'],
    ['STEPFOLD_SCRIPT_DELAY', 'soon', 'bad_environment'],
    ['STEPFOLD_DESK_HORIZON', 'soon', 'bad_duration'],
    ['STEPFOLD_MODEL', 'gpt', 'bad_model'],
  ])('does not load with %s=%s', async (variable, value, code) => {
    vi.stubEnv(variable, value);
    await expect(load()).rejects.toMatchObject({
      code,
      message: expect.stringContaining(value === 'soon' && code === 'bad_duration' ? 'horizon' : variable),
    });
  });
});

describe('the sample with its scripted model', () => {
  test('answers from the notes, and cites them', async () => {
    const { runId, output, calls } = await runByHand(await load(), QUESTION);
    expect(calls.map(({ name }) => name)).toEqual([
      'search_notes',
      'search_notes',
      'create_ticket',
      'post_comment',
      'page_oncall',
      'close_ticket',
    ]);
    expect(output).toContain('lowered the timeout for payment authorisation from 10 seconds to 2 seconds');
    expect(output).toContain('[incident-2026-03-02-checkout.txt:14]');
    expect(output).toMatch(/T-\d+ is closed/);
    expect((await desk.requests()).map(({ route, key, did }) => [route, key, did])).toEqual([
      ['create_ticket', `${runId}:2`, 'applied'],
      ['post_comment', `${runId}:3`, 'applied'],
      ['page_oncall', `${runId}:4`, 'applied'],
      ['close_ticket', `${runId}:5`, 'applied'],
    ]);
  });

  test('answers another question from other notes', async () => {
    const { output } = await runByHand(await load(), 'Why was search slow on Black Friday?');
    expect(output).toContain('its schedule was written in UTC');
  });

  test('says so when the notes know nothing, and opens no ticket', async () => {
    const answer = (): { type: 'json'; value: { passages: [] } } => ({
      type: 'json',
      value: { passages: [] },
    });
    const { output, calls } = await runByHand(await load(), 'Quid novi?', { answer });
    expect(output).toBe('The notes say nothing about: Quid novi?');
    expect(calls).toHaveLength(2);
  });

  test('tells of a denied approval and of a page that nobody knows of', async () => {
    const { output } = await runByHand(await load(), QUESTION, {
      answer: (tool) => {
        if (tool === 'close_ticket') return { type: 'execution-denied', reason: 'not yet' };
        if (tool === 'page_oncall') return { type: 'error-text', value: 'the outcome is unknown' };
        return undefined;
      },
    });
    expect(output).toMatch(/T-\d+ stays open \(denied: not yet\)/);
    expect(output).toContain('Whether a page went out: the outcome is unknown.');
  });

  test('ends when no ticket could be opened', async () => {
    const { output } = await runByHand(await load(), QUESTION, {
      answer: (tool) =>
        tool === 'create_ticket' ? { type: 'error-text', value: 'the desk is down' } : undefined,
    });
    expect(output).toContain('No ticket was opened: the desk is down.');
  });

  test('writes each model call into the record before it answers', async () => {
    const record = join(deskFile(), '../model.jsonl');
    vi.stubEnv('STEPFOLD_MODEL_RECORD', record);
    vi.stubEnv('STEPFOLD_SCRIPT_DELAY', '60000');
    const { model } = await load();
    const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: QUESTION }] }];
    const abandoned = new AbortController();
    const unanswered = Promise.resolve(model.doGenerate({ prompt, abortSignal: abandoned.signal }));
    expect(existsSync(record)).toBe(true);
    abandoned.abort();
    await expect(unanswered).rejects.toThrow('abort');
    await Promise.resolve(model.doGenerate({ prompt, abortSignal: abandoned.signal })).catch(() => {});

    const lines = readFileSync(record, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(lines).toEqual([
      { at: expect.any(String), messages: 1, promptHash: expect.stringMatching(/^[0-9a-f]{64}$/) },
      { at: expect.any(String), messages: 1, promptHash: (lines[0] as { promptHash?: string }).promptHash },
    ]);
  });
});

describe('the tools at the desk', () => {
  const ticket = { title: 'x', body: 'y' };
  const tool = async (name: string) => {
    const found = (await load()).tools.find((tool) => tool.name === name);
    if (!found) throw new Error(`no tool ${name}`);
    return found;
  };
  const asker = { runId: 'run', step: 1, signal: new AbortController().signal };

  test('a ticket whose answer was lost is found by its key, as the result it would have been', async () => {
    const { run, effect } = await tool('create_ticket');
    await desk.post('/control', { routes: { create_ticket: { drop: 1 } } });
    expect(await effect.find?.('lost:1', ticket, asker)).toBe('not_found');
    await expect(run(ticket, context('lost:1'))).rejects.toThrow('fetch failed');
    const found = await effect.find?.('lost:1', ticket, asker);
    expect(found).toEqual({
      found: { ticket: expect.stringMatching(/^T-\d+$/), title: 'x', status: 'open' },
    });
    const result = await run(ticket, context('lost:2'));
    expect(Object.keys(result as object)).toEqual(Object.keys((found as { found: object }).found));
  });

  test('a desk that is down knows nothing', async () => {
    const { effect } = await tool('create_ticket');
    await desk.post('/control', { down: true });
    try {
      expect(await effect.find?.('lost:1', ticket, asker)).toBe('unknown');
    } finally {
      await desk.post('/control', { down: false });
    }
  });

  test('a refusal reaches the model in the words of the desk', async () => {
    const { run } = await tool('post_comment');
    const refused = run({ ticket: 'T-999', text: 'x' }, context('refused:1'));
    await expect(refused).rejects.toMatchObject({
      name: 'ToolError',
      message: expect.stringContaining('unknown_ticket: expected the id of a ticket'),
    });
  });

  test('a tool can be told to wait before it sends', async () => {
    vi.stubEnv('STEPFOLD_DESK_SEND_DELAY', '60000');
    const { run } = await tool('page_oncall');
    const before = await desk.requests();
    const cutOff = new AbortController();
    const page = run({ severity: 'low', message: 'x' }, { ...context('slow:1'), signal: cutOff.signal });
    cutOff.abort();
    await expect(page).rejects.toThrow('abort');
    expect(await desk.requests()).toEqual(before);
  });
});

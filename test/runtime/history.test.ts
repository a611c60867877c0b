import type { LanguageModelV4Content, LanguageModelV4Prompt } from '@ai-sdk/provider';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { resumeRun } from '../../lib/runtime/resume-run.ts';
import { sendMessage } from '../../lib/runtime/tell-run.ts';
import { scriptedModel } from '../../lib/testing/index.ts';
import { defineTool } from '../../lib/tool.ts';
import { refusal } from '../support/provider-rules.ts';
import { scene } from '../support/scene.ts';

/** One answer of the model: how many calls it makes, and what the user says meanwhile. */
interface Turn {
  readonly calls: number;
  readonly meanwhile: number;
}

interface Options {
  readonly turns?: number;
  readonly snapshotEvery?: number;
  /** Model calls, by their number, that the provider refuses for good, so that a person must let them be sent again. */
  readonly refused?: readonly number[];
}

/** Plays a conversation, and gives every prompt that the model was sent, and what the log says of each. */
async function converse(story: readonly Turn[], { turns, snapshotEvery = 20, refused = [] }: Options) {
  /** By model call, what each attempt was sent. */
  const attempts: LanguageModelV4Prompt[][] = [[]];
  let played: Awaited<ReturnType<typeof scene>>;
  const say = async (count: number, at: string) => {
    for (let n = 0; n < count; n++)
      await sendMessage(played.rt, played.run, { content: `message ${n} ${at}`, messageId: `m${n} ${at}` });
  };
  const act = defineTool({
    name: 'act',
    description: 'Act.',
    input: z.object({ turn: z.number(), n: z.number() }),
    effect: 'read',
    run: async ({ turn, n }) => {
      if (n === 0) await say(story[turn]?.meanwhile ?? 0, `in turn ${turn}`);
      return `result ${turn}.${n}`;
    },
  });
  const model = {
    ...scriptedModel([]),
    async doGenerate({ prompt }: { prompt: LanguageModelV4Prompt }) {
      const turn = attempts.length - 1;
      attempts[turn]?.push(prompt);
      if (refused.includes(turn) && attempts[turn]?.length === 1) {
        await say(story[turn]?.meanwhile ?? 0, `while call ${turn} fails`);
        throw new Error('no');
      }
      attempts.push([]);
      const { calls = 0, meanwhile = 0 } = story[turn] ?? {};
      if (calls === 0) await say(turn < story.length ? meanwhile : 0, `after turn ${turn}`);
      const content: LanguageModelV4Content[] = [
        { type: 'text', text: `answer ${turn}` },
        ...Array.from({ length: calls }, (_, n) => ({
          type: 'tool-call' as const,
          toolCallId: `id ${turn}.${n}`,
          toolName: 'act',
          input: JSON.stringify({ turn, n }),
        })),
      ];
      return { ...(await scriptedModel(['x']).doGenerate({ prompt: [] })), content };
    },
  };
  played = await scene({
    model,
    tools: [act],
    instructions: '',
    snapshotEvery,
    ...(turns !== undefined && { history: { turns } }),
  });
  const { drive, view, events, verify, rt, run } = played;
  await drive();
  while ((await view()).status === 'paused') {
    await resumeRun(rt, run, { mode: 'verbatim', by: 'ann' });
    await drive();
  }
  expect((await view()).status).toBe('completed');
  expect(await verify()).toEqual([]);
  const requests = (await events()).filter((event) => event.type === 'model_call_requested');
  const omitted = requests.map(
    ({ params }) => (params as { history?: { omittedMessages: number } }).history?.omittedMessages,
  );
  return {
    attempts: attempts.slice(0, -1),
    prompts: attempts.flatMap(([first]) => (first ? [first] : [])),
    omitted: omitted.filter((_, index) => requests[index]?.attempt === 1),
  };
}

/** What is to be shown of a whole conversation: the first message of the user, and the last turns. */
function shownOf(whole: LanguageModelV4Prompt, turns: number): LanguageModelV4Prompt {
  const starts = whole.flatMap(({ role }, index) => (role === 'assistant' ? [index] : []));
  const start = starts.at(-turns);
  return starts.length <= turns || start === undefined
    ? whole
    : [...whole.slice(0, 1), ...whole.slice(start)];
}

const story = fc.array(fc.record({ calls: fc.nat({ max: 2 }), meanwhile: fc.nat({ max: 2 }) }), {
  minLength: 1,
  maxLength: 9,
});

test('the model is shown the first message and whole turns from the end, however the run was stored', async () => {
  const seen = { omitted: 0 };
  await fc.assert(
    fc.asyncProperty(
      story,
      fc.integer({ min: 1, max: 4 }),
      fc.constantFrom(1, 2, 3, 5, 20),
      async (turns, shown, snapshotEvery) => {
        const whole = await converse(turns, {});
        const cut = await converse(turns, { turns: shown, snapshotEvery });
        expect(cut.prompts).toEqual(whole.prompts.map((prompt) => shownOf(prompt, shown)));
        expect(cut.omitted).toEqual(
          whole.prompts.map((prompt, index) => prompt.length - (cut.prompts[index]?.length ?? 0)),
        );
        for (const prompt of cut.prompts) expect(refusal(prompt)).toBeUndefined();
        seen.omitted += cut.omitted.filter((count) => (count ?? 0) > 0).length;
      },
    ),
    { numRuns: 40 },
  );
  expect(seen.omitted).toBeGreaterThan(20);
});

test('a call that is sent again after a snapshot shows what its first attempt showed', async () => {
  const all = Array.from({ length: 30 }, (_, call) => call);
  await fc.assert(
    fc.asyncProperty(
      story,
      fc.integer({ min: 1, max: 3 }),
      fc.constantFrom(1, 3, 20),
      async (turns, shown, snapshotEvery) => {
        const { attempts, prompts } = await converse(turns, { turns: shown, snapshotEvery, refused: all });
        expect(attempts).toEqual(prompts.map((prompt) => [prompt, prompt]));
        for (const prompt of prompts) expect(refusal(prompt)).toBeUndefined();
      },
    ),
    { numRuns: 40 },
  );
});

test('an agent that shows everything says nothing of what is left out', async () => {
  expect((await converse([{ calls: 1, meanwhile: 1 }], {})).omitted).toEqual([undefined, undefined]);
});

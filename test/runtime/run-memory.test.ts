import type { LanguageModelV4Prompt } from '@ai-sdk/provider';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { emptyState } from '../../lib/core/state.ts';
import type { LoadedRun } from '../../lib/runtime/load-run.ts';
import { createRunMemory } from '../../lib/runtime/run-memory.ts';
import { scriptedModel } from '../../lib/testing/index.ts';
import { defineTool, ToolError } from '../../lib/tool.ts';
import type { FaultMode } from '../support/fault-stage.ts';
import { scene } from '../support/scene.ts';
import { oneProcess } from '../support/stage-world.ts';
import { sweepScenario } from '../support/sweep-scenario.ts';
import { SCENARIOS } from '../support/sweep-scenarios.ts';
import { WAITS } from '../support/wait-scenarios.ts';

const look = defineTool({
  name: 'look',
  description: 'Look.',
  input: z.object({ at: z.array(z.number()) }),
  effect: 'read',
  run: ({ at }) => at,
});
const script = [1, 2, 3].map((n) => ({ toolCalls: [{ name: 'look', args: { at: [n] } }] }));

/** Counts what a scene loads whole, and what it reads on from. */
async function counted(options: Parameters<typeof scene>[0]) {
  const played = await scene(options);
  const counts = { loads: 0, reads: 0 };
  const { load, read } = played.world.log;
  Object.assign(played.world.log, {
    load: (...args: Parameters<typeof load>) => {
      counts.loads++;
      return load(...args);
    },
    read: (...args: Parameters<typeof read>) => {
      counts.reads++;
      return read(...args);
    },
  });
  return { ...played, counts };
}

test('a run that its process remembers is loaded once, and comes out the same', async () => {
  const options = { tools: [look], script: [...script, 'done'] };
  const plain = await counted(options);
  await plain.drive();
  const remembered = await counted({ ...options, memory: createRunMemory() });
  await remembered.drive();
  expect(plain.counts.loads).toBeGreaterThan(7);
  expect(remembered.counts.loads).toBeLessThan(4);
  expect(await remembered.types()).toEqual(await plain.types());
  expect(await remembered.verify()).toEqual([]);
});

test('a view whose last commit is not the log’s any more is not believed', async () => {
  const memory = createRunMemory();
  const { drive, counts, world, run, verify } = await counted({
    tools: [look],
    script: [...script, 'done'],
    memory,
  });
  const { append } = world.log;
  let appended = 0;
  world.log.append = async (key, commit) => {
    const known = memory.recall(run);
    // As after a restore of the store: what is remembered speaks of another log.
    if (++appended === 6 && known) memory.keep(run, { ...known, last: 'another' });
    return append(key, commit);
  };
  await drive();
  expect(appended).toBeGreaterThan(10);
  expect(counts.loads).toBeGreaterThan(1);
  expect(await verify()).toEqual([]);
});

test('what a tool makes of its arguments, and a model of its prompt, is not remembered', async () => {
  const received: unknown[] = [];
  const spoils = defineTool({
    name: 'look',
    description: 'Look.',
    input: z.object({ at: z.array(z.number()) }),
    effect: 'read',
    run: ({ at }, { attempt }) => {
      received.push([...at]);
      at.push(0);
      if (attempt === 1) throw new ToolError('once more', { retryable: true });
      return at;
    },
  });
  const model = scriptedModel([...script, 'done']);
  const prompts: string[] = [];
  const { drive, view, verify } = await scene({
    tools: [spoils],
    model: {
      ...model,
      async doGenerate(options) {
        prompts.push(JSON.stringify(options.prompt));
        const answer = await model.doGenerate(options);
        for (const message of options.prompt as LanguageModelV4Prompt) {
          const [part] = message.role === 'tool' ? message.content : [];
          if (part?.type === 'tool-result' && part.output.type === 'json')
            (part.output.value as unknown[]).push(7);
        }
        return answer;
      },
    },
    memory: createRunMemory(),
  });
  await drive();
  expect((await view()).status).toBe('completed');
  expect(received).toEqual([[1], [1], [2], [2], [3], [3]]);
  expect(
    prompts.every((prompt, n) => n === 0 || prompt.startsWith(prompts[n - 1]?.slice(0, -1) ?? '?')),
  ).toBe(true);
  expect(await verify()).toEqual([]);
});

test('runs at rest are forgotten, and of too many those that were worked on last are remembered', async () => {
  const memory = createRunMemory(2);
  const { drive, run } = await scene({ memory });
  await drive();
  expect(memory.recall(run)).toBeUndefined();

  const view = (head: number): LoadedRun => ({
    state: { ...emptyState(), head },
    snapshot: { seq: -1, step: 0 },
    last: 'x',
  });
  const key = (runId: string) => ({ tenant: 't', runId });
  for (const id of ['a', 'b', 'a', 'c']) memory.keep(key(id), view(5));
  expect(['a', 'b', 'c'].map((id) => memory.recall(key(id)) !== undefined)).toEqual([true, false, true]);
  memory.keep(key('a'), view(4));
  expect(memory.recall(key('a'))?.state.head).toBe(5);
});

const MODES: readonly FaultMode[] = ['crash_after', 'lost', 'duplicate', 'takeover'];

describe.each([...SCENARIOS, ...WAITS].map((scenario) => [scenario.title, scenario] as const))(
  'remembered: %s',
  (_, scenario) => {
    test.each(MODES)('survives %s at every single operation', async (mode) => {
      expect((await sweepScenario(scenario, mode, { remembers: true })).failures).toEqual([]);
    });

    test('survives a crash of its one process at every single operation', async () => {
      const { failures } = await sweepScenario(scenario, 'crash_after', {
        place: oneProcess,
        remembers: true,
      });
      expect(failures).toEqual([]);
    });
  },
);

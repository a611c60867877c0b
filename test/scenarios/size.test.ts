import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '../../lib/agent.ts';
import type { Draft, Event } from '../../lib/core/events.ts';
import { sha256 } from '../../lib/core/hash.ts';
import { createMemoryWorld } from '../../lib/memory/memory-world.ts';
import type { World } from '../../lib/ports/world.ts';
import { decide } from '../../lib/runtime/decide.ts';
import { describeRun } from '../../lib/runtime/describe-run.ts';
import { startRun } from '../../lib/runtime/start-run.ts';
import { scriptedModel } from '../../lib/testing/index.ts';
import { defineTool } from '../../lib/tool.ts';
import { drive, runtimeOver } from '../support/drive.ts';

const PORTS = ['log', 'index', 'inbox', 'decisions', 'blobs', 'wakes', 'timers', 'notifier'] as const;
const gate = defineTool({
  name: 'gate',
  description: 'Gate.',
  input: z.object({}),
  effect: 'read',
  approval: {},
  run: () => 1,
});

/** Asks for the gate, and ends when it has been through it. */
const answers = scriptedModel([]);
const model = {
  ...answers,
  doGenerate: (options: Parameters<typeof answers.doGenerate>[0]) => {
    const last = options.prompt.at(-1);
    const passed =
      last?.role === 'tool' &&
      last.content.some((part) => part.type === 'tool-result' && part.toolName === 'gate');
    return scriptedModel([passed ? 'done' : { toolCalls: [{ name: 'gate', args: {} }] }]).doGenerate({
      ...options,
      prompt: [],
    });
  },
};
const agent = defineAgent({
  name: 'agent',
  revision: '1',
  instructions: '',
  model,
  tools: [gate],
  history: { turns: 5 },
});

const claim = { owner: 'w', messageId: 'm', deadline: '2026-01-01T00:03:00.000Z' };

/** The four events of a turn with one call. */
function turn(step: number): Draft[] {
  const usage = { inputTokens: 9, outputTokens: 9, cachedInputTokens: 0 };
  const content = [{ type: 'tool-call', toolCallId: 'c', toolName: 'look', input: '{}' }];
  const attempt = { attempt: 1, claim };
  return [
    { type: 'model_call_requested', step, requestHash: '0'.repeat(64), params: {}, ...attempt },
    {
      type: 'model_responded',
      step,
      completion: { content },
      calls: [{ toolCallId: 'c', name: 'look' }],
      finishReason: { unified: 'tool-calls' },
      usage,
    },
    {
      type: 'tool_call_requested',
      step: step + 1,
      callId: `${step}.0`,
      name: 'look',
      args: {},
      idempotencyKey: `k:${step + 1}`,
      effect: 'read',
      ...attempt,
    },
    {
      type: 'tool_returned',
      step: step + 1,
      callId: `${step}.0`,
      source: 'executed',
      result: 'x'.repeat(20),
    },
  ];
}

/** What it takes to go on from an approval in a run whose log holds so many events. */
async function resumeAt(events: number) {
  const world = createMemoryWorld();
  const rt = runtimeOver(world, [agent], {});
  const { runId } = await startRun(rt, { tenant: 't', agent: 'agent', input: 'go' });
  const run = { tenant: 't', runId };
  const at = new Date(world.clock.now()).toISOString();
  // The start as a worker writes it, then turns as workers would have written them, each a commit.
  const start: Draft = {
    type: 'run_started',
    step: 0,
    entry: 0,
    agent: 'agent',
    revision: '1',
    promptHash: agent.promptHash,
    input: 'go',
  };
  const turns = Array.from({ length: Math.floor(events / 4) }, (_, n) => turn(n * 2 + 1));
  let seq = 0;
  for (const drafts of [[start], ...turns]) {
    const made = drafts.map((draft, index) => ({ v: 1, seq: seq + index, at, ...draft }) as Event);
    await world.log.append(run, {
      seq,
      events: made,
      owner: 'w',
      messageId: `m${seq}`,
      hash: sha256(JSON.stringify(made)),
    });
    seq += made.length;
  }
  await drive(world, rt);
  const [interrupt] = (await describeRun(rt, run)).interrupts;
  const counted = counting(world);
  await decide({ ...rt, world: counted.world }, run, interrupt?.interruptId ?? '', {
    decision: 'approve',
    by: 'ann',
  });
  await drive(world, { ...rt, world: counted.world });
  const view = await describeRun(rt, run);
  return { status: view.status, seq: view.seq, ...counted };
}

/** A world whose operations, and the bytes that its log and its blobs give, are counted. */
function counting(world: World) {
  const operations = new Map<string, number>();
  const read = { bytes: 0 };
  const count =
    (name: string, method: (...args: never[]) => Promise<unknown>) =>
    async (...args: never[]) => {
      operations.set(name, (operations.get(name) ?? 0) + 1);
      const result = await method(...args);
      if (/^(log|blobs)/.test(name)) read.bytes += Buffer.byteLength(JSON.stringify(result) ?? '');
      return result;
    };
  const watched = PORTS.map((port) => {
    const methods = Object.entries(world[port]).filter((entry) => typeof entry[1] === 'function');
    return [
      port,
      Object.fromEntries(methods.map(([name, method]) => [name, count(`${port}.${name}`, method as never)])),
    ];
  });
  return { world: { ...world, ...(Object.fromEntries(watched) as object) } as World, operations, read };
}

test('a run of 100,000 events goes on with as many requests as one of 100, and reads no more', async () => {
  const short = await resumeAt(100);
  const long = await resumeAt(100_000);
  expect([short.status, long.status]).toEqual(['completed', 'completed']);
  expect(long.seq - short.seq).toBe(99_900);
  expect(Object.fromEntries(long.operations)).toEqual(Object.fromEntries(short.operations));
  expect(long.read.bytes).toBeLessThan(short.read.bytes * 1.5);
});

import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '../../lib/agent.ts';
import { keyed } from '../../lib/core/effect.ts';
import { createMemoryWorld } from '../../lib/memory/memory-world.ts';
import { decide } from '../../lib/runtime/decide.ts';
import { describeRun } from '../../lib/runtime/describe-run.ts';
import { startRun } from '../../lib/runtime/start-run.ts';
import { scriptedModel } from '../../lib/testing/index.ts';
import { defineTool } from '../../lib/tool.ts';
import { drive, runtimeOver } from '../support/drive.ts';

test('a run goes from its start through tools and an approval to its end', async () => {
  const sent: string[] = [];
  const add = defineTool({
    name: 'add',
    description: 'Add.',
    input: z.object({ a: z.number(), b: z.number().default(2) }),
    effect: 'read',
    run: ({ a, b }) => a + b,
  });
  const pay = defineTool({
    name: 'pay',
    description: 'Pay.',
    input: z.object({ amount: z.number() }),
    effect: keyed({ window: '24h' }),
    approval: { summary: ({ amount }) => `Pay ${amount}`, expiresIn: '7d' },
    run: ({ amount }, { idempotencyKey }) => {
      sent.push(idempotencyKey);
      return { paid: amount };
    },
  });
  const agent = defineAgent({
    name: 'clerk',
    revision: '1',
    instructions: 'Be exact.',
    tools: [add, pay],
    model: scriptedModel([
      {
        toolCalls: [
          { name: 'add', args: { a: 1 } },
          { name: 'nonsense', args: {} },
          { name: 'add', args: { a: 'x' } },
        ],
      },
      { toolCalls: [{ name: 'pay', args: { amount: 3 } }] },
      'done',
    ]),
  });
  const world = createMemoryWorld();
  const rt = runtimeOver(world, [agent]);
  const { runId } = await startRun(rt, { tenant: 't', agent: 'clerk', input: 'go', key: 'k' });
  const run = { tenant: 't', runId };
  await drive(world, rt);
  const paused = await describeRun(rt, run);
  expect(paused.status).toBe('paused');
  await decide(rt, run, paused.interrupts[0]?.interruptId ?? '', { decision: 'approve', by: 'ann' });
  await drive(world, rt);
  expect((await describeRun(rt, run)).output).toBe('done');
  expect(sent).toEqual([`${runId}:5`]);
});

import { expect, test } from 'vitest';
import * as z from 'zod';
import { keyed } from '../../lib/core/effect.ts';
import { hashJson } from '../../lib/core/hash.ts';
import { defineTool } from '../../lib/tool.ts';
import { scene } from '../support/scene.ts';

async function gated(
  options: { when?: (args: { amount: number; to: string }) => boolean; expiresIn?: string } = {},
) {
  const sent: unknown[] = [];
  const pay = defineTool({
    name: 'pay',
    description: 'Pay.',
    input: z.object({ amount: z.number(), to: z.string().default('nobody') }),
    effect: keyed({ window: '24h' }),
    approval: { summary: ({ amount, to }) => `Pay ${amount} to ${to}`, risk: 'high', ...options },
    run: (args) => {
      sent.push(args);
      return 'paid';
    },
  });
  const played = await scene({
    tools: [pay],
    script: [{ toolCalls: [{ name: 'pay', args: { amount: 5 } }] }, 'done'],
  });
  await played.drive(1_000);
  const [interrupt] = (await played.view()).interrupts;
  return { ...played, sent, interrupt, id: interrupt?.interruptId ?? '' };
}

test('an approval shows the parsed arguments, their hash, the summary and the risk, and has a number of its own', async () => {
  const { interrupt, sent } = await gated({ expiresIn: '7d' });
  const args = { amount: 5, to: 'nobody' };
  expect(interrupt).toMatchObject({
    reason: 'awaiting_approval',
    step: 2,
    tool: 'pay',
    args,
    argsHash: hashJson(args),
    summary: 'Pay 5 to nobody',
    risk: 'high',
  });
  expect(sent).toEqual([]);
});

test('the approved bytes run, once, and the call names the approval that it spends', async () => {
  const { decide, drive, sent, events, id, verify } = await gated();
  await decide(id, 'approve');
  await drive();
  expect(sent).toEqual([{ amount: 5, to: 'nobody' }]);
  expect((await events()).find((event) => event.type === 'tool_call_requested')).toMatchObject({
    approval: id,
    step: 3,
  });
  expect(await verify()).toEqual([]);
});

test('a denied call reaches the model as denied, with the note', async () => {
  const { decide, drive, sent, events, id } = await gated();
  await decide(id, 'deny', { note: 'too much' });
  await drive();
  expect(sent).toEqual([]);
  expect((await events()).find((event) => event.type === 'tool_returned')).toMatchObject({
    source: 'denied',
    step: 2,
    error: { message: 'too much' },
  });
});

test('a call that `when` lets through asks nobody', async () => {
  const { sent, interrupt } = await gated({ when: ({ amount }) => amount > 100 });
  expect(interrupt).toBeUndefined();
  expect(sent).toHaveLength(1);
});

test('a `when` that throws counts as yes, ask', async () => {
  const { sent, interrupt } = await gated({
    when: () => {
      throw new Error('bug');
    },
  });
  expect(interrupt?.reason).toBe('awaiting_approval');
  expect(sent).toEqual([]);
});

test('a forged `resumed` in the log authorises nothing: the run is set aside and nothing is sent', async () => {
  const { forge, drive, sent, view, id, world, rt, run } = await gated();
  await forge([
    { type: 'resumed', step: 2, interruptId: id, by: 'mallory', outcome: { decision: 'approve' } },
  ]);
  await rt.world.wakes.send({ ...run, news: true }, { lane: 'fast' });
  await drive();
  expect(sent).toEqual([]);
  expect(await view()).toMatchObject({ status: 'stalled', stalled: { code: 'approval_missing' } });
  expect(world.pending()).toEqual([]);
});

test('an approval of other bytes than are to be sent authorises nothing', async () => {
  const { drive, sent, view, id, rt, run } = await gated();
  const slot = {
    interruptId: id,
    decision: 'approve',
    by: 'ann',
    at: '2026-01-01T00:00:00.000Z',
    argsHash: '0'.repeat(64),
  };
  await rt.world.decisions.put(run, slot);
  await rt.world.wakes.send({ ...run, news: true }, { lane: 'fast' });
  await drive();
  expect(sent).toEqual([]);
  expect(await view()).toMatchObject({ status: 'stalled', stalled: { code: 'approval_missing' } });
});

test('twenty people decide at once: one is accepted, the others hear who decided and when', async () => {
  const { decide, drive, id, events, verify } = await gated();
  const people = Array.from({ length: 20 }, (_, n) =>
    decide(id, n % 2 ? 'approve' : 'deny', { by: `p${n}` }),
  );
  const answers = await Promise.allSettled(people);
  const won = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  expect(won).toHaveLength(1);
  for (const answer of answers) {
    if (answer.status === 'rejected') {
      expect(answer.reason).toMatchObject({
        code: 'already_decided',
        details: { by: won[0]?.by, at: won[0]?.at },
      });
    }
  }
  await drive();
  expect((await events()).find((event) => event.type === 'resumed')).toMatchObject({
    by: won[0]?.by,
    outcome: { decision: won[0]?.decision },
  });
  expect(await verify()).toEqual([]);
});

test('the same decision by the same person again is the same answer, also after it was folded', async () => {
  const { decide, drive, id } = await gated();
  const first = await decide(id, 'approve');
  expect(await decide(id, 'approve')).toEqual(first);
  await drive();
  expect(await decide(id, 'approve')).toEqual(first);
  await expect(decide(id, 'deny')).rejects.toMatchObject({
    code: 'already_decided',
    details: { by: 'ann', decision: 'approve' },
  });
});

test('a decision that was accepted before the expiry stands, however late it is folded', async () => {
  const { decide, drive, id, world, sent } = await gated({ expiresIn: '10m' });
  world.advanceTo(world.clock.now() + 599_000);
  await decide(id, 'approve');
  world.advanceTo(world.clock.now() + 3_600_000);
  await drive();
  expect(sent).toHaveLength(1);
});

test('once the expiry holds the slot, a person is told so', async () => {
  const { decide, drive, id, sent, events, verify } = await gated({ expiresIn: '10m' });
  await drive(86_400_000);
  expect(sent).toEqual([]);
  expect((await events()).find((event) => event.type === 'tool_returned')).toMatchObject({
    source: 'denied',
    error: { code: 'expired' },
  });
  await expect(decide(id, 'approve')).rejects.toMatchObject({
    code: 'already_decided',
    details: { decision: 'expired' },
  });
  expect(await verify()).toEqual([]);
});

test('bad decisions say what was expected, and write nothing', async () => {
  const { decide, id, world } = await gated();
  const messages = world.pending().length;
  await expect(decide(id, 'happened')).rejects.toMatchObject({
    code: 'wrong_decision',
    details: { expected: ['approve', 'deny'] },
  });
  await expect(decide(id, 'approve', { value: 1 })).rejects.toMatchObject({ code: 'value_not_allowed' });
  await expect(decide('i0', 'approve')).rejects.toMatchObject({ code: 'unknown_interrupt' });
  await expect(decide('i999', 'approve')).rejects.toMatchObject({ code: 'unknown_interrupt' });
  expect(world.pending()).toHaveLength(messages);
});

test('an interrupt about the whole run is not decided but resumed', async () => {
  const played = await scene({
    limits: { steps: 1 },
    tools: [],
    script: [{ toolCalls: [{ name: 'x', args: {} }] }, 'done'],
  });
  await played.drive();
  const [interrupt] = (await played.view()).interrupts;
  expect(interrupt?.reason).toBe('budget_exceeded');
  await expect(played.decide(interrupt?.interruptId ?? '', 'verbatim')).rejects.toMatchObject({
    code: 'wrong_decision',
    details: { expected: ['resume'] },
  });
});

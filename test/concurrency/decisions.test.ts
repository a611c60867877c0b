import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { defineAgent, defineTool, keyed, once, ToolError } from '../../lib/index.ts';
import { scriptedModel } from '../../lib/testing/index.ts';
import { EmbeddedServer, twenty } from './embedded-server.ts';
import { SLOTS, slowAgent } from './slow-tool.ts';

/** An agent that asks for three payments at once, each behind an approval, and one whose page is in doubt. */
function gated() {
  const paid: number[] = [];
  const pay = defineTool({
    name: 'pay',
    description: 'Pay.',
    input: z.object({ amount: z.number() }),
    effect: keyed({ window: '24h' }),
    approval: {},
    run: ({ amount }) => {
      paid.push(amount);
      return { amount };
    },
  });
  const page = defineTool({
    name: 'page',
    description: 'Page somebody; the connection is cut.',
    input: z.object({}),
    effect: once({ horizon: 0 }),
    run: () => {
      throw new ToolError('socket closed', { outcome: 'unknown' });
    },
  });
  const payments = [1, 2, 3].map((amount) => ({ name: 'pay', args: { amount } }));
  const told = { revision: '1', instructions: '', tools: [pay, page] };
  const agents = [
    defineAgent({ ...told, name: 'payer', model: scriptedModel([{ toolCalls: payments }, 'paid']) }),
    defineAgent({
      ...told,
      name: 'pager',
      model: scriptedModel([{ toolCalls: [{ name: 'page', args: {} }] }, 'paged']),
    }),
  ];
  return { paid, agents };
}

const path = (runId: string, interruptId: string) => `/runs/${runId}/interrupts/${interruptId}/decision`;

async function expectOneWinner(
  server: EmbeddedServer,
  { runId, interruptId }: { runId: string; interruptId: string },
  decisionOf: (index: number) => object & { decision: string },
) {
  const said = (index: number) => ({ by: `person ${index}`, ...decisionOf(index) });
  const answers = await twenty((index) => server.post(path(runId, interruptId), said(index)));
  const won = answers.flatMap(({ status }, index) => (status === 200 ? [index] : []));
  expect(won).toHaveLength(1);
  const [winner = -1] = won;
  const { decision, by } = said(winner);
  const { at } = answers[winner]?.body ?? {};
  expect(answers[winner]?.body).toMatchObject({ interruptId, decision, by, at: expect.any(String) });
  for (const answer of answers.filter(({ status }) => status !== 200))
    expect(answer).toMatchObject({ status: 409, body: { code: 'already_decided', decision, by, at } });
  return { interruptId, decision, by, at, again: () => server.post(path(runId, interruptId), said(winner)) };
}

/** Keeps every worker busy, so that an interrupt stays open whatever its slot holds. Gives what sets them free. */
async function busyWorkers(server: EmbeddedServer, { full, finish }: ReturnType<typeof slowAgent>) {
  onTestFinished(finish);
  await Promise.all(Array.from({ length: SLOTS }, () => server.start('worker')));
  await full;
  return finish;
}

test.each([
  ['no worker is free to resume the run', true],
  ['the winner resumes it', false],
])(
  'of twenty people who approve or deny at once one wins, and nineteen hear who and when: %s',
  async (_, busy) => {
    const { paid, agents } = gated();
    const slow = slowAgent();
    const server = await EmbeddedServer.open([...agents, slow.agent]);
    const runId = await server.start('payer');
    const { interrupts } = await server.rest(runId);
    expect(interrupts).toHaveLength(3);
    const free = busy ? await busyWorkers(server, slow) : () => {};
    const winners = await Promise.all(
      interrupts.map(({ interruptId }) =>
        expectOneWinner(server, { runId, interruptId }, (index) => ({
          decision: index % 2 === 0 ? 'approve' : 'deny',
        })),
      ),
    );
    if (busy) expect((await server.get(`/runs/${runId}`)).body.interrupts).toHaveLength(3);
    free();

    await expect.poll(async () => (await server.rest(runId)).status, { timeout: 20_000 }).toBe('completed');
    const resumed = (await server.events(runId)).filter((event) => event.type === 'resumed');
    expect(resumed).toHaveLength(3);
    for (const { interruptId, decision, by, at, again } of winners) {
      const outcome = resumed.find((event) => event.interruptId === interruptId);
      expect(outcome).toMatchObject({ by, outcome: { decision, at } });
      expect(await again()).toMatchObject({ status: 200, body: { decision, by, at } });
    }
    const approved = interrupts.filter((_, index) => winners[index]?.decision === 'approve');
    expect(paid.sort()).toEqual(approved.map(({ args }) => (args as { amount: number }).amount).sort());
    expect((await server.get(`/runs/${runId}/verify`)).body).toMatchObject({ ok: true });
  },
);

test('of twenty people who settle a doubt in different ways at once one wins, and the log says what they said', async () => {
  const slow = slowAgent();
  const server = await EmbeddedServer.open([...gated().agents, slow.agent]);
  const runId = await server.start('pager');
  const [interrupt] = (await server.rest(runId)).interrupts;
  const free = await busyWorkers(server, slow);
  const ways = ['happened', 'skip', 'fail'];
  const { decision, by, at } = await expectOneWinner(
    server,
    { runId, interruptId: interrupt?.interruptId ?? '' },
    (index) => {
      const way = ways[index % ways.length] ?? '';
      return { decision: way, ...(way === 'happened' && { value: { page: index } }) };
    },
  );
  free();
  await expect.poll(async () => (await server.rest(runId)).status, { timeout: 20_000 }).toBe('completed');
  const resumed = (await server.events(runId)).filter((event) => event.type === 'resumed');
  expect(resumed).toMatchObject([{ by, outcome: { decision, at } }]);
  expect((await server.get(`/runs/${runId}/verify`)).body).toMatchObject({ ok: true });
});

import { expect, test } from 'vitest';
import * as z from 'zod';
import type { AgentOptions } from '../../lib/agent.ts';
import { StepfoldError } from '../../lib/core/errors.ts';
import { registryOf } from '../../lib/registry.ts';
import { defineTool } from '../../lib/tool.ts';
import { drive } from '../support/drive.ts';
import { scene } from '../support/scene.ts';
import type { Reply } from './fake-service.ts';
import { play } from './play.ts';
import { SERVICES } from './services.ts';

const CANARY = 'canary-4b7f19';

const keep = defineTool({
  name: 'keep',
  description: `Keep ${CANARY}.`,
  input: z.object({ secret: z.string() }),
  effect: 'read',
  run: ({ secret }) => {
    if (secret.includes('throw')) throw new Error(`cannot keep ${secret}`);
    return { kept: secret };
  },
});

test.each(Object.entries(SERVICES))(
  'no line of the service log has what passes between a run and %s',
  async (_, service) => {
    const { errors } = service;
    const call = (name: string, args: unknown) =>
      service.says({ text: CANARY, calls: [{ id: 'id_01', name, args: JSON.stringify(args) }] });
    const repeating = (reply: Reply): Reply => ({
      ...reply,
      body: JSON.parse(withCanary(reply.body)) as unknown,
    });
    const script = [
      call('keep', { secret: CANARY }),
      call('keep', { secret: `${CANARY} throw` }),
      call('keep', { secret: 1, [CANARY]: CANARY }),
      call(CANARY, CANARY),
      { ...call('keep', { secret: CANARY }), cut: 'end' as const },
      { ...call('keep', { secret: CANARY }), cut: 'body' as const },
      repeating(errors.overloaded),
      service.says({ text: CANARY }),
      service.says({ text: `{"n":"${CANARY}"}` }),
      repeating(errors.quota),
      service.says({ text: CANARY, finish: 'refusal' }),
      service.says({ text: '{"n":1}' }),
    ];
    const played = await play(service, {
      script,
      tools: [keep],
      instructions: CANARY,
      input: CANARY,
      output: z.object({ n: z.number() }),
      spillAt: 1,
      snapshotEvery: 1,
    });
    await played.drive();
    while ((await played.view()).status === 'paused') {
      await played.resume();
      await played.drive();
    }
    expect(await played.view()).toMatchObject({ status: 'completed' });
    expect(played.received).toHaveLength(script.length);
    expect(JSON.stringify(played.reports)).not.toContain(CANARY);
  },
);

function withCanary(body: unknown): string {
  return JSON.stringify(body).replaceAll(/"message":"/g, `"message":"${CANARY} `);
}

/** What makes a worker say something, with a secret in the run, in its cause, or in both. */
async function reported(
  trouble: (played: Awaited<ReturnType<typeof scene>>) => Promise<void>,
  agent: Partial<AgentOptions> = {},
) {
  const script = [{ text: CANARY, toolCalls: [{ name: 'keep', args: { secret: CANARY } }] }, 'done'];
  const gated = { ...keep, approval: { when: () => true } };
  const played = await scene({ script, tools: [gated], instructions: CANARY, spillAt: 1, ...agent });
  await played.drive();
  const { rt } = played;
  await trouble(played);
  await drive(played.world, rt, { onError: () => undefined });
  expect(played.reports.filter(({ level }) => level !== 'info')).not.toEqual([]);
  expect(JSON.stringify(played.reports)).not.toContain(CANARY);
}

test('nor has the word about a run that is set aside for an error in somebody else’s words', async () => {
  await reported(async ({ world, run }) => {
    world.decisions.get = () => Promise.reject(new Error(CANARY));
    await world.wakes.send({ ...run, news: true }, { lane: 'fast' });
  });
});

test('nor the word about a migration that throws', async () => {
  await reported(async ({ rt, world, run, agentOf }) => {
    const migrate = () => {
      throw new StepfoldError('bad_secret', CANARY);
    };
    const agents = registryOf([agentOf({ revision: '2', migrations: [{ from: '1', to: '2', migrate }] })]);
    Object.assign(rt, { agents });
    await world.wakes.send({ ...run, news: true }, { lane: 'fast' });
  });
});

test('nor the word about a payload, a snapshot or an event that was altered', async () => {
  await reported(async ({ world, view, decide }) => {
    const id = (await view()).interrupts[0]?.interruptId ?? '';
    await decide(id, 'approve');
    world.blobs.get = async () => Buffer.from(CANARY);
  });
  await reported(async ({ world, run }) => {
    await world.log.putManifest(run, { seq: 10_000, fold: 1, state: { text: CANARY } });
    await world.wakes.send({ ...run, news: true }, { lane: 'fast' });
  });
  await reported(async ({ world, run, forge }) => {
    await forge([{ type: 'state_patched', step: 1, key: CANARY, value: CANARY, extra: CANARY }]);
    await world.wakes.send({ ...run, news: true }, { lane: 'fast' });
  });
});

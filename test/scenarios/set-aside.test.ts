import { expect, test } from 'vitest';
import * as z from 'zod';
import { registryOf } from '../../lib/registry.ts';
import { sweep } from '../../lib/runtime/sweep.ts';
import { takeStep } from '../../lib/runtime/take-step.ts';
import { verifyRun } from '../../lib/runtime/verify-run.ts';
import { scriptedModel } from '../../lib/testing/index.ts';
import { defineTool } from '../../lib/tool.ts';
import { drive } from '../support/drive.ts';
import { scene } from '../support/scene.ts';

const MINUTE = 60_000;
const big = defineTool({
  name: 'big',
  description: 'Big.',
  input: z.object({}),
  effect: 'read',
  run: () => 'x'.repeat(2_000),
});
const gate = defineTool({
  name: 'gate',
  description: 'Gate.',
  input: z.object({}),
  effect: 'read',
  approval: {},
  run: () => 'open',
});

const small = defineTool({
  name: 'small',
  description: 'Small.',
  input: z.object({}),
  effect: 'read',
  run: () => 'x',
});

/** A run that has some results in the blob store and waits at a gate. */
async function waiting(options: { snapshotEvery?: number } = {}) {
  const script = [
    { toolCalls: [{ name: 'big', args: {} }] },
    { toolCalls: [{ name: 'gate', args: {} }] },
    'done',
  ];
  const played = await scene({ tools: [big, gate], script, spillAt: 500, ...options });
  await played.drive();
  const [interrupt] = (await played.view()).interrupts;
  return { ...played, id: interrupt?.interruptId ?? '' };
}

async function spilled({ events }: Awaited<ReturnType<typeof waiting>>): Promise<string> {
  const returned = (await events()).find((event) => event.type === 'tool_returned');
  return returned?.resultRef?.sha256 ?? '';
}

test.each([
  ['missing', undefined, 'payload_missing'],
  ['altered', Buffer.from('"other"'), 'payload_altered'],
])(
  'an event payload that is %s sets the run aside, and the run goes on once it is back',
  async (_, instead, code) => {
    const played = await waiting();
    const { world, run, decide, view, id, reports } = played;
    const sha256 = await spilled(played);
    const { get } = world.blobs;
    world.blobs.get = async (key, hash) => (hash === sha256 ? instead : get(key, hash));
    expect(await played.verify()).toMatchObject([{ guarantee: 11 }]);
    await decide(id, 'approve');
    await played.drive();
    expect(await view()).toMatchObject({ status: 'stalled', stalled: { code, tries: 0 } });
    expect(reports.some((report) => report.level === 'error' && report.message.includes(sha256))).toBe(true);
    world.blobs.get = get;
    world.advanceTo(world.clock.now() + 16 * MINUTE);
    expect(await sweep(played.rt)).toBe(1);
    await played.drive();
    expect(await view()).toMatchObject({ status: 'completed', output: 'done' });
    expect(await world.index.get(run)).not.toHaveProperty('stalled');
  },
);

test('a snapshot that was damaged, or made by another fold, is only a lost shortcut', async () => {
  for (const damage of [{ fold: 999 }, { state: { sha256: 'x', text: '{}' } }, { state: null }]) {
    const played = await waiting({ snapshotEvery: 1 });
    const { load } = played.world.log;
    played.world.log.load = async (run, hint) => {
      const loaded = await load(run, hint);
      return loaded.manifest ? { ...loaded, manifest: { ...loaded.manifest, ...damage } } : loaded;
    };
    await played.decide(played.id, 'approve');
    await played.drive();
    expect(await played.view()).toMatchObject({ status: 'completed', output: 'done' });
    expect(await played.verify()).toEqual([]);
  }
});

test('a transcript chunk that is missing or altered is folded anew from the log', async () => {
  const words = Array.from({ length: 200 }, () => ({ toolCalls: [{ name: 'small', args: {} }] }));
  const script = [...words, { toolCalls: [{ name: 'gate', args: {} }] }, 'done'];
  for (const instead of [undefined, Buffer.from('[]')]) {
    const prompts: string[] = [];
    const model = scriptedModel(script);
    const played = await scene({
      tools: [small, gate],
      model: {
        ...model,
        doGenerate(options) {
          prompts.push(JSON.stringify(options.prompt));
          return model.doGenerate(options);
        },
      },
    });
    await played.drive();
    const { promptHash } = played.agentOf();
    const { get } = played.world.blobs;
    let missed = 0;
    played.world.blobs.get = async (run, sha256) => {
      if (sha256 === promptHash) return get(run, sha256);
      missed++;
      return instead;
    };
    const [interrupt] = (await played.view()).interrupts;
    await played.decide(interrupt?.interruptId ?? '', 'approve');
    await played.drive();
    expect(missed).toBeGreaterThan(0);
    expect(played.reports.filter(({ level }) => level === 'warn').length).toBeGreaterThan(0);
    expect(await played.view()).toMatchObject({ status: 'completed', output: 'done' });
    expect(prompts.at(-1)?.startsWith(prompts.at(-2)?.slice(0, -1) ?? '?')).toBe(true);
  }
});

test('an event that this code does not know stops its run; it is never skipped', async () => {
  for (const event of [
    { type: 'run_forked', step: 1 },
    { type: 'state_patched', v: 2, step: 1, key: 'k', value: 1 },
    { type: 'state_patched', step: 1, key: 'k', value: 1, more: true },
  ]) {
    const played = await waiting();
    await played.forge([event]);
    await played.world.wakes.send({ ...played.run, news: true }, { lane: 'fast' });
    await played.drive();
    expect(await played.world.index.get(played.run)).toMatchObject({ stalled: { code: 'unknown_event' } });
  }
});

test('a run that fails at ten deliveries in a row is set aside with its cause, others are not touched, and it is tried again later', async () => {
  const played = await waiting();
  const { world, rt, decide, id, view } = played;
  const { get } = world.decisions;
  world.decisions.get = () => Promise.reject(new Error('a bug'));
  await world.wakes.send({ ...played.run, news: true }, { lane: 'fast' });
  let failures = 0;
  await drive(world, rt, { onError: () => failures++ });
  expect(failures).toBe(9);
  expect(await view()).toMatchObject({
    status: 'stalled',
    stalled: { code: 'crashed', cause: 'a bug', count: 10 },
  });
  world.decisions.get = get;
  await decide(id, 'approve');
  await played.drive();
  expect((await view()).status).toBe('completed');
});

test('a run that stays broken is tried after 15 minutes, an hour and six hours, and then only by a person', async () => {
  const played = await waiting();
  const { world, rt, agentOf, run } = played;
  const broken = {
    from: '1',
    to: '2',
    migrate: () => {
      throw new Error('a bug');
    },
  };
  const changed = { ...rt, agents: registryOf([agentOf({ revision: '2', migrations: [broken] })]) };
  await played.decide(played.id, 'approve');
  await drive(world, changed);
  for (const [tries, minutes] of [15, 60, 360].entries()) {
    const header = await world.index.get(run);
    expect(header?.stalled?.tries).toBe(tries);
    expect((header?.wakeAt ?? 0) - world.clock.now()).toBeLessThanOrEqual(minutes * MINUTE);
    expect((header?.wakeAt ?? 0) - world.clock.now()).toBeGreaterThan((minutes - 2) * MINUTE);
    world.advanceTo((header?.wakeAt ?? 0) + 1);
    expect(await sweep(changed)).toBe(1);
    await drive(world, changed);
  }
  expect((await world.index.get(run))?.wakeAt).toBeUndefined();
});

test('an outage of the store sets nobody aside: the message just comes again', async () => {
  const played = await waiting();
  const { world, rt, decide, id, view } = played;
  await decide(id, 'approve');
  const { append } = world.log;
  let left = 60;
  world.log.append = (run, commit) =>
    left-- > 0
      ? Promise.reject(Object.assign(new Error('down'), { name: 'StepfoldError', code: 'unavailable' }))
      : append(run, commit);
  await drive(world, rt, { onError: () => {} });
  expect(await view()).toMatchObject({ status: 'completed' });
});

test('a wake for a run that does not exist does nothing', async () => {
  const { world, rt } = await waiting();
  const stranger = {
    messageId: 'm',
    receives: 1,
    lane: 'fast' as const,
    wake: { tenant: 't', runId: 'run_none', news: true as const },
  };
  await takeStep(rt, stranger);
  expect(await world.index.get({ tenant: 't', runId: 'run_none' })).toBeUndefined();
  await expect(verifyRun(rt, { tenant: 't', runId: 'run_none' })).rejects.toMatchObject({
    code: 'unknown_run',
  });
});

test('a look before its time, as after a restart, is not one of the tries', async () => {
  const played = await waiting();
  const { world, rt, agentOf, run } = played;
  const broken = {
    from: '1',
    to: '2',
    migrate: () => {
      throw new Error('a bug');
    },
  };
  const changed = { ...rt, agents: registryOf([agentOf({ revision: '2', migrations: [broken] })]) };
  await played.decide(played.id, 'approve');
  await drive(world, changed);
  const first = await world.index.get(run);
  for (let restarts = 0; restarts < 4; restarts++) {
    world.advanceTo(world.clock.now() + MINUTE);
    await world.wakes.send({ ...run, news: true, swept: true }, { lane: 'fast' });
    await drive(world, changed);
  }
  const last = await world.index.get(run);
  expect(last).toMatchObject({ stalled: { tries: 0, at: first?.stalled?.at }, wakeAt: first?.wakeAt });
});

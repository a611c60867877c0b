import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Agent } from '../../lib/agent.ts';
import { interruptReasonSchema } from '../../lib/core/event-parts.ts';
import { type Event, eventSchema } from '../../lib/core/events.ts';
import { registryOf } from '../../lib/registry.ts';
import { decide } from '../../lib/runtime/decide.ts';
import { describeRun } from '../../lib/runtime/describe-run.ts';
import { readEvents } from '../../lib/runtime/read-events.ts';
import { sendSignal } from '../../lib/runtime/tell-run.ts';
import { verifyRun } from '../../lib/runtime/verify-run.ts';
import { drive, runtimeOver } from '../support/drive.ts';
import { folded, type GoldenLog, restore } from './golden-log.ts';
import { STORIES } from './stories.ts';

const DAY = 86_400_000;
const RELEASES = readdirSync(import.meta.dirname, { withFileTypes: true })
  .filter((each) => each.isDirectory())
  .map(({ name }) => name);
const LOGS = RELEASES.flatMap((release) =>
  readdirSync(join(import.meta.dirname, release)).map((file) => ({
    release,
    name: file.replace('.json', ''),
  })),
);

function read({ release, name }: (typeof LOGS)[number]): GoldenLog {
  return JSON.parse(readFileSync(join(import.meta.dirname, release, `${name}.json`), 'utf8')) as GoldenLog;
}

/** A runtime over a golden log, with the agents that its story had. */
async function opened(log: (typeof LOGS)[number]) {
  const golden = read(log);
  const world = await restore(golden);
  const agents = STORIES[log.name]?.agents(world) ?? [];
  const { run } = golden;
  const rt = runtimeOver(world, agents);
  return { golden, world, rt, run, agents };
}

test('there are golden logs of this release, and one of each event and each interrupt', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  expect(RELEASES).toContain(version);
  const events = LOGS.filter(({ release }) => release === version).flatMap(
    (log) => read(log).commits.flatMap((commit) => commit.events) as Event[],
  );
  const types = eventSchema.options.map((option) => option.shape.type.value);
  expect([...new Set(events.map(({ type }) => type))].sort()).toEqual([...types].sort());
  const reasons = events.flatMap((event) => (event.type === 'interrupted' ? [event.reason] : []));
  expect([...new Set(reasons)].sort()).toEqual([...interruptReasonSchema.options].sort());
});

describe.each(LOGS)('the log of $release "$name"', (log) => {
  test('folds to the same states as when it was written', async () => {
    const { golden, rt, run } = await opened(log);
    const now = await folded(rt, run, golden.commits);
    expect(now.steps).toEqual(golden.expected.steps);
    expect(now.used).toEqual(golden.expected.used);
    expect(now.prompt).toEqual(golden.expected.prompt);
    // A later release may tell more of a run, but nothing else.
    expect(now.view).toMatchObject(golden.expected.view);
    expect(now.view.values).toEqual(golden.expected.view.values);
  });

  test('keeps every guarantee', async () => {
    const { rt, run } = await opened(log);
    expect((await verifyRun(rt, run)).violations).toEqual([]);
  });
});

describe.each(RELEASES)('a run that release %s left behind', (release) => {
  test('goes on where it was: what was waited for comes, and nothing is asked or done again', async () => {
    const { golden, world, rt, run } = await opened({ release, name: 'left-waiting' });
    const [gate] = (await describeRun(rt, run)).interrupts;
    await decide(rt, run, gate?.interruptId ?? '', { decision: 'approve', by: 'ann' });
    await sendSignal(rt, run, { name: 'paid' });
    await world.wakes.send({ ...run, news: true, swept: true }, { lane: 'fast' });
    await drive(world, rt, { within: 8 * DAY });
    expect(await describeRun(rt, run)).toMatchObject({ status: 'completed', output: 'done' });
    const events = await readEvents(rt, run, { after: -1, limit: 1_000 });
    const before = golden.commits.flatMap((commit) => commit.events);
    expect(events.slice(0, before.length)).toEqual(before);
    const added = events.slice(before.length).map(({ type }) => type);
    expect(added.filter((type) => type === 'model_call_requested')).toHaveLength(1);
    expect(added.filter((type) => type === 'tool_call_requested')).toHaveLength(1);
    expect((await verifyRun(rt, run)).violations).toEqual([]);
  });

  test('goes on at a call that was cut off', async () => {
    const { world, rt, run } = await opened({ release, name: 'left-at-work' });
    await world.wakes.send({ ...run, news: true, swept: true }, { lane: 'fast' });
    await drive(world, rt);
    expect(await describeRun(rt, run)).toMatchObject({ status: 'completed', output: 'done' });
    expect((await verifyRun(rt, run)).violations).toEqual([]);
  });

  test('stops where it meets an agent of another version, and where it meets none', async () => {
    for (const change of ['a revision', 'no agent'] as const) {
      const { world, rt, run, agents } = await opened({ release, name: 'left-at-work' });
      const other = {
        ...(agents[0] as Agent),
        ...(change === 'a revision' ? { revision: '9' } : { name: 'other' }),
      };
      const before = await readEvents(rt, run, { after: -1, limit: 1_000 });
      const later = { ...rt, agents: registryOf([other]) };
      await world.wakes.send({ ...run, news: true, swept: true }, { lane: 'fast' });
      await drive(world, later);
      const added = (await readEvents(rt, run, { after: -1, limit: 1_000 })).slice(before.length);
      expect(added.map((event) => event.type)).toEqual(change === 'a revision' ? ['interrupted'] : []);
      const { interrupts, stalled } = await describeRun(later, run);
      if (change === 'a revision') expect(interrupts).toMatchObject([{ reason: 'version_mismatch' }]);
      else expect(stalled).toMatchObject({ code: 'unknown_agent' });
    }
  });

  test.each([
    ['of a type', { v: 1, type: 'run_dreamt' }],
    ['of a version', { v: 2, type: 'cancel_requested', by: 'ann' }],
  ])('stops at an event %s that is not known: it is not skipped and not guessed', async (_, event) => {
    const { golden, world, rt, run } = await opened({ release, name: 'left-at-work' });
    const last = golden.commits.at(-1);
    const seq = (last?.seq ?? 0) + (last?.events.length ?? 0);
    const at = new Date(golden.now).toISOString();
    await world.log.append(run, {
      seq,
      events: [{ seq, step: 2, at, ...event }],
      owner: 'later',
      messageId: 'm',
      hash: 'h',
    });
    await world.wakes.send({ ...run, news: true, swept: true }, { lane: 'fast' });
    await drive(world, rt);
    expect((await world.index.get(run))?.stalled).toMatchObject({
      code: 'unknown_event',
      cause: expect.stringContaining(`event ${seq} is ${event.type} of version ${event.v}`),
    });
    expect(await world.log.read(run, { after: seq, limit: 1 })).toEqual([]);
  });
});

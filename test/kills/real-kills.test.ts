import { randomInt } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Event } from '../../lib/core/events.ts';
import type { Verdict } from '../../lib/core/verify.ts';
import { seededIds } from '../../lib/memory/seeded-ids.ts';
import type { RunView } from '../../lib/runtime/run-view.ts';
import { appliedPerKey, countBy, modelCallsOf, readSent, saidOfKeys } from './accounts.ts';
import type { Order } from './agents.ts';
import { type Attended, attend } from './attend.ts';
import { type Glance, glance } from './glance.ts';
import type { MortalServer } from './mortal-server.ts';
import { openStage, type Stage } from './stage.ts';
import { startOnce } from './start-once.ts';

const KILLS = 40;
/** Time enough for a kill between a request's arrival, its effect and its answer. */
const SLOW_DESK = {
  routes: { all: { delayBefore: 20, delayAfter: 20 }, read: { delayAfter: 20 }, find_ticket: {} },
};
const LONGEST_MS = 240_000;

/** Every effect, calls in parallel, and an approval. */
const BUSY: Order['plan'] = [
  ['look', 'create_ticket', 'post_comment'],
  ['look', 'page_oncall', 'post_comment'],
  ['look', 'close_ticket'],
];
/** Nothing that waits for a person or for a time: these runs have something to do at every instant. */
const STEADY: Order['plan'] = [['look', 'post_comment', 'post_comment'], ['look']];
const PLANS = [BUSY, BUSY, BUSY, BUSY, BUSY, BUSY, STEADY, STEADY];

const NAME = 'eight runs outlive forty kills: all end, nothing is done twice, no answer is taken back';

test(NAME, { timeout: LONGEST_MS }, async () => {
  const seed = Number(process.env.STEPFOLD_KILLS_SEED ?? randomInt(2 ** 31));
  console.log(`STEPFOLD_KILLS_SEED=${seed}`);
  const { random } = seededIds(seed, { now: () => 0 });
  const stage = await openStage({ ms: LONGEST_MS - 20_000, control: SLOW_DESK });
  const { server, desk } = stage;

  const shift = String(desk.tickets.create({ title: 'shift', body: 'open while they work' }, null).id);
  await server.start();
  const runs = PLANS.map((plan, index) => workOff(stage, { name: `clerk ${index}`, shift, plan }));
  await Promise.race(runs.map(({ started }) => started));
  const glances = await killAgainAndAgain(stage, random);
  await server.start();
  await stage.deskProcess.post(`/tickets/${shift}/close`, { resolution: 'enough' }, 'the end');
  const attended = await Promise.all(runs.map(({ ended }) => ended));
  console.log(summary(glances, attended));

  expect(glances).toHaveLength(KILLS);
  expect(glances.filter(({ moving }) => moving === 0)).toEqual([]);
  const cutOff = glances.flatMap(({ inFlight }) => inFlight);
  expect(cutOff).toEqual(expect.arrayContaining(['model', 'look', 'post_comment']));
  for (const [index, one] of attended.entries()) await checkRun(stage, one, `clerk ${index}`);
  checkDesk(stage, shift);
  const { body } = await server.call<{ runs: { runId: string }[] }>('/runs?limit=500');
  expect(body.runs.map(({ runId }) => runId).sort()).toEqual(attended.map(({ runId }) => runId).sort());
});

/** Starts a run, as a client who asks again until answered, and stays with it to its end. */
function workOff({ server, desk }: Stage, order: Order) {
  const started = startOnce(server, order);
  const ended = started.then(async (runId) => {
    const attended = await attend(server, runId, desk);
    expect(await startOnce(server, order)).toBe(runId);
    return attended;
  });
  ended.catch(() => {});
  return { started, ended };
}

/** Kills the server as it serves, forty times; now and then the next one as well, on its way up. */
async function killAgainAndAgain({ server, data }: Stage, random: () => number): Promise<Glance[]> {
  const glances: Glance[] = [];
  for (;;) {
    await wait(servingMs(random));
    await server.kill();
    glances.push(await glance(data));
    if (glances.length === KILLS) return glances;
    if (random() < STILLBORN) {
      server.spawn();
      await wait(random() * STARTUP_MS);
      await server.kill();
    }
    await server.start();
  }
}

const STILLBORN = 0.1;
const STARTUP_MS = 600;

/** Mostly short, now and then long enough for a call to be asked about. */
function servingMs(random: () => number): number {
  return random() < 0.7 ? random() * 500 : 500 + random() * 1_100;
}

/** What is to be found of one run, whatever happened on the way. */
async function checkRun({ server, desk, record }: Stage, { runId, events, kept }: Attended, name: string) {
  const { body: view } = await server.call<RunView>(`/runs/${runId}`);
  expect(view).toMatchObject({
    status: 'completed',
    output: expect.stringMatching(`^${name} took \\d+ turns$`),
  });
  const { body: verdict } = await server.call<Verdict>(`/runs/${runId}/verify`);
  expect(verdict).toMatchObject({ ok: true, violations: [] });
  expect(await wholeLog(server, runId)).toEqual(events);

  const resumed = events.filter((event) => event.type === 'resumed');
  const outcomes = resumed.map(({ interruptId, by, outcome: { decision } }) => ({
    interruptId,
    decision,
    by,
  }));
  expect(outcomes.sort(byInterrupt)).toEqual([...kept].sort(byInterrupt));

  const applied = appliedPerKey(desk);
  const { done, notDone } = saidOfKeys(events);
  expect(done.filter((key) => applied.get(key) !== 1)).toEqual([]);
  expect(notDone.filter((key) => applied.has(key))).toEqual([]);

  const calls = modelCallsOf(name, events, readSent(record));
  const wrong = calls.filter(
    ({ requests, responses, late, sent, prompts }) =>
      responses !== 1 || late > 0 || sent < 1 || sent > requests || prompts !== 1,
  );
  expect(wrong).toEqual([]);
}

/** What is to be found in the desk's own record: by key, and by text for the case that a key itself was wrong. */
function checkDesk({ desk }: Stage, shift: string): void {
  const tickets = desk.tickets.all().filter(({ id }) => id !== shift);
  const most = (counts: ReadonlyMap<string, number>) => Math.max(...counts.values());
  expect(most(countBy(tickets, ({ key }) => key))).toBe(1);
  expect(most(countBy(tickets, ({ title }) => title))).toBe(1);
  expect(most(countBy(desk.tickets.pages(), ({ message }) => message))).toBe(1);
  expect(most(countBy(desk.tickets.comments(), ({ text }) => text))).toBe(1);
  expect(most(appliedPerKey(desk))).toBe(1);
}

const byInterrupt = (a: { interruptId: string }, b: { interruptId: string }) =>
  a.interruptId < b.interruptId ? -1 : 1;

async function wholeLog(server: MortalServer, runId: string): Promise<Event[]> {
  const events: Event[] = [];
  for (;;) {
    const after = events.at(-1)?.seq ?? -1;
    const { body } = await server.call<{ events: Event[] }>(`/runs/${runId}/events?after=${after}&limit=500`);
    if (body.events.length === 0) return events;
    events.push(...body.events);
  }
}

function summary(glances: readonly Glance[], attended: readonly Attended[]): string {
  const cut = countBy(
    glances.flatMap(({ inFlight }) => inFlight),
    (name) => name,
  );
  const calls = [...cut].map(([name, times]) => `${name} ${times}`).join(', ');
  const events = attended.reduce((sum, one) => sum + one.events.length, 0);
  const decisions = attended.reduce((sum, one) => sum + one.kept.length, 0);
  return `${glances.length} kills, ${events} events, ${decisions} decisions; cut off: ${calls}`;
}

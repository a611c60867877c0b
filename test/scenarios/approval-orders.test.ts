import { expect, test } from 'vitest';
import * as z from 'zod';
import { EXPIRED, EXPIRY } from '../../lib/core/decisions.ts';
import type { Event, EventOf } from '../../lib/core/events.ts';
import { takeStep } from '../../lib/runtime/take-step.ts';
import { defineTool } from '../../lib/tool.ts';
import { scene } from '../support/scene.ts';

const MINUTE = 60_000;
const HOW = ['approve', 'deny', 'expire'] as const;
type How = (typeof HOW)[number];

/** What becomes of one call: which one, how, and whether workers take up what there is before the next. */
interface Turn {
  readonly call: number;
  readonly how: How;
  readonly folded: boolean;
}

/** What must come out for one call. */
interface Outcome {
  readonly sent: number;
  readonly source: string;
  readonly error: string | undefined;
  readonly by: string;
}

/** The model: a call is sent once when it was approved, whatever became of the others and whoever came first. */
const EXPECTED: Record<How, Outcome> = {
  approve: { sent: 1, source: 'executed', error: undefined, by: 'ann' },
  deny: { sent: 0, source: 'denied', error: 'denied', by: 'ann' },
  expire: { sent: 0, source: 'denied', error: EXPIRED, by: EXPIRY },
};

async function play(turns: readonly Turn[]) {
  const sent: number[] = [];
  const tools = turns.map((_, n) => {
    const at = turns.findIndex(({ call }) => call === n);
    return defineTool({
      name: `act${n}`,
      description: 'Act.',
      input: z.object({ n: z.number() }),
      effect: 'once',
      // What expires does so at its turn; a minute passes with each.
      approval: turns[at]?.how === 'expire' ? { expiresIn: (at + 1) * MINUTE } : {},
      run: (args) => {
        sent.push(args.n);
        return { n: args.n };
      },
    });
  });
  const calls = turns.map((_, n) => ({ name: `act${n}`, args: { n } }));
  const played = await scene({ tools, script: [{ toolCalls: calls }, 'done'] });
  const { world, view, decide, drive } = played;
  await drive(0);
  const start = world.clock.now();
  const opened = (await view()).interrupts;
  for (const [at, { call, how, folded }] of turns.entries()) {
    world.advanceTo(start + (at + 1) * MINUTE);
    const { interruptId = '' } = opened.find((each) => each.tool === `act${call}`) ?? {};
    if (how === 'expire') await expire(played);
    else await decide(interruptId, how);
    if (folded) await drive(0);
  }
  await drive();
  return { ...played, sent, opened };
}

/** Delivers what expires to settle, and nothing to a worker. */
async function expire({ world, rt }: Awaited<ReturnType<typeof scene>>): Promise<void> {
  const others: string[] = [];
  for (let message = world.receive(); message; message = world.receive()) {
    const { receipt, ...plain } = message;
    if (plain.lane !== 'settle') {
      others.push(receipt);
      continue;
    }
    await takeStep(rt, plain);
    world.acknowledge(receipt);
  }
  for (const receipt of others) world.release(receipt);
}

async function check(turns: readonly Turn[]): Promise<string[]> {
  const { sent, opened, view, events, verify } = await play(turns);
  const log = await events();
  const wrong: string[] = [];
  const { status, interrupts } = await view();
  if (status !== 'completed' || interrupts.length > 0) wrong.push(`the run is ${status}`);
  for (const { call, how } of turns) {
    const interruptId = opened.find((each) => each.tool === `act${call}`)?.interruptId;
    const outcome = outcomeOf(log, `1.${call}`, interruptId);
    const seen = { sent: sent.filter((n) => n === call).length, ...outcome };
    if (JSON.stringify(seen) !== JSON.stringify(EXPECTED[how]))
      wrong.push(`call ${call} (${how}) came out as ${JSON.stringify(seen)}`);
  }
  const asked = log.filter((event) => event.type === 'model_call_requested').length;
  if (asked !== 2) wrong.push(`the model was asked ${asked} times`);
  wrong.push(...(await verify()).map(({ message }) => message));
  return wrong.map(
    (what) =>
      `${turns.map(({ call, how, folded }) => `${how} ${call}${folded ? ';' : ','}`).join(' ')} ${what}`,
  );
}

function outcomeOf(log: readonly Event[], callId: string, interruptId: string | undefined) {
  const returned = log.filter(
    (event): event is EventOf<'tool_returned'> => event.type === 'tool_returned' && event.callId === callId,
  );
  const resumed = log.filter(
    (event): event is EventOf<'resumed'> => event.type === 'resumed' && event.interruptId === interruptId,
  );
  return {
    source: returned.map((event) => event.source).join(),
    error: returned[0]?.error?.code,
    by: resumed.map((event) => event.by).join(),
  };
}

/** Every order of `count` calls, each approved, denied or expired, and every choice of when workers look. */
function* turnsOf(count: number): Generator<Turn[]> {
  for (const order of permutations(Array.from({ length: count }, (_, n) => n)))
    for (let kinds = 0; kinds < 3 ** count; kinds++)
      for (let folds = 0; folds < 2 ** (count - 1); folds++)
        yield order.map((call, at) => ({
          call,
          how: HOW[Math.floor(kinds / 3 ** at) % 3] as How,
          folded: ((folds >> at) & 1) === 1,
        }));
}

function* permutations(left: readonly number[]): Generator<number[]> {
  if (left.length === 0) yield [];
  for (const n of left)
    for (const rest of permutations(left.filter((each) => each !== n))) yield [n, ...rest];
}

test.each([1, 2, 3])(
  '%i gated calls come out as the model says, in every order of approve, deny and expiry',
  async (count) => {
    const wrong: string[] = [];
    for (const turns of turnsOf(count)) wrong.push(...(await check(turns)));
    expect(wrong).toEqual([]);
  },
);

test('4 gated calls come out as the model says, in every order of approve, deny and expiry', async () => {
  const wrong: string[] = [];
  let at = 0;
  // When workers look has eight choices for each of these orders; each order is played with one of them, by turns.
  for (const turns of turnsOf(4))
    if (at++ % 8 === Math.floor(at / 8) % 8) wrong.push(...(await check(turns)));
  expect(wrong).toEqual([]);
  expect(at).toBe(15_552);
});

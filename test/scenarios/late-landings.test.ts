import { expect, test } from 'vitest';
import * as z from 'zod';
import { keyed } from '../../lib/core/effect.ts';
import { registryOf } from '../../lib/registry.ts';
import { resumeRun } from '../../lib/runtime/resume-run.ts';
import { cancelRun } from '../../lib/runtime/tell-run.ts';
import { defineTool } from '../../lib/tool.ts';
import { drive } from '../support/drive.ts';
import { callOnce, scene } from '../support/scene.ts';

const coded = (code: string) => Object.assign(new Error(code), { code });

/** A tool that fails with one error code after another. */
function failingWith(
  codes: readonly string[],
  effect: 'once' | ReturnType<typeof keyed> = keyed({ window: '24h' }),
) {
  let calls = 0;
  return defineTool({
    name: 'act',
    description: 'Act.',
    input: z.object({}),
    effect,
    retry: { attempts: codes.length },
    run: () => {
      throw coded(codes[calls++] ?? 'NONE');
    },
  });
}

test('a refusal at the last attempt does not undo what an earlier one may have done: a person is asked', async () => {
  const played = await scene({
    tools: [failingWith(['ECONNRESET', 'ECONNREFUSED'])],
    script: callOnce('act'),
  });
  await played.drive();
  expect((await played.view()).interrupts).toMatchObject([{ reason: 'in_doubt', attempt: 2 }]);
});

test('where every attempt was refused, nothing happened, and the model is told so', async () => {
  const played = await scene({
    tools: [failingWith(['ECONNREFUSED', 'ECONNREFUSED'])],
    script: callOnce('act'),
  });
  await played.drive();
  expect((await played.events()).find((event) => event.type === 'tool_returned')).toMatchObject({
    error: { message: 'ECONNREFUSED' },
  });
});

test('a cancel names the call that may have landed before it was refused', async () => {
  const played = await scene({
    tools: [failingWith(['ECONNRESET', 'ECONNREFUSED', 'ECONNREFUSED'])],
    script: callOnce('act'),
  });
  await played.drive(700);
  const failed = () =>
    played.events().then((events) => events.filter((event) => event.type === 'tool_call_failed').length);
  while ((await failed()) < 2) await played.drive(2_000);
  await cancelRun(played.rt, played.run, { by: 'ann' });
  await played.drive();
  expect(await played.view()).toMatchObject({ status: 'cancelled', unresolved: ['1.0'] });
});

test('a cut-off call whose tool is gone from the code that was accepted is put before a person, not refused', async () => {
  const played = await scene({
    tools: [failingWith(['ECONNRESET', 'ECONNRESET', 'ECONNRESET'])],
    script: callOnce('act'),
  });
  await played.drive(200);
  expect((await played.types()).at(-1)).toBe('tool_call_failed');
  const rt = { ...played.rt, agents: registryOf([played.agentOf({ revision: '2', tools: [] })]) };
  await drive(played.world, rt);
  await resumeRun(rt, played.run, { mode: 'verbatim', by: 'ann' });
  await drive(played.world, rt);
  expect((await played.view()).interrupts).toMatchObject([{ reason: 'in_doubt', callId: '1.0' }]);
});

test('a log with a gap is never folded over it', async () => {
  const played = await scene({ tools: [], script: ['done'] });
  const { append } = played.world.log;
  played.world.log.append = (run, commit) => append(run, commit.seq === 1 ? { ...commit, seq: 5 } : commit);
  await played.worker().done.catch(() => undefined);
  played.world.log.append = append;
  await played.drive();
  expect(await played.world.index.get(played.run)).toMatchObject({ stalled: { code: 'log_gap' } });
});

test('tools and approvals are given copies of the arguments: what they change is not what was approved', async () => {
  const sent: unknown[] = [];
  const pay = defineTool({
    name: 'pay',
    description: 'Pay.',
    input: z.object({ amount: z.number() }),
    effect: keyed({ window: '24h' }),
    approval: {
      when: (args) => {
        args.amount = 1;
        return true;
      },
      summary: (args) => {
        args.amount = 2;
        return 'Pay';
      },
    },
    run: (args) => sent.push({ ...args }),
  });
  const played = await scene({ tools: [pay], script: callOnce('pay', { amount: 9 }) });
  await played.drive();
  const [interrupt] = (await played.view()).interrupts;
  expect(interrupt?.args).toEqual({ amount: 9 });
  await played.decide(interrupt?.interruptId ?? '', 'approve');
  await played.drive();
  expect(sent).toEqual([{ amount: 9 }]);
});

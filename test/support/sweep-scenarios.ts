import type { ScriptItem } from '../../lib/testing/index.ts';
import type { Tool } from '../../lib/tool.ts';
import type { Scenario } from './scenario.ts';
import { careful, dropping, failing, kinds, one, refused, reset, toolOf } from './scenario-tools.ts';

const text = 'x'.repeat(3_000);

/** One run and what it may meet while its calls are made. */
export const SCENARIOS: readonly Scenario[] = [
  ...kinds.map(
    (kind): Scenario => ({
      title: `a ${kind} call`,
      tools: ({ downstream }) => [toolOf(kind, downstream)],
      script: one(kind),
      person: careful,
      effects: { [kind]: 1 },
    }),
  ),
  ...kinds.map(
    (kind): Scenario => ({
      title: `a ${kind} call whose connection drops after the work`,
      tools: ({ downstream }) => [dropping(kind, downstream)],
      script: one(kind),
      person: careful,
      effects: { [kind]: 1 },
    }),
  ),
  {
    title: 'an approval that is given',
    tools: ({ downstream }) => [toolOf('keyed', downstream, { gated: true, expiresIn: '7d' })],
    script: one('keyed'),
    person: careful,
    effects: { keyed: 1 },
  },
  {
    title: 'an approval of a once call',
    tools: ({ downstream }) => [toolOf('once', downstream, { gated: true })],
    script: one('once'),
    person: careful,
    effects: { once: 1 },
  },
  {
    title: 'an approval that is denied',
    tools: ({ downstream }) => [toolOf('keyed', downstream, { gated: true, expiresIn: '7d' })],
    script: one('keyed'),
    person: () => ({ decision: 'deny' }),
    effects: { keyed: 0 },
  },
  {
    title: 'an approval that expires within a minute',
    tools: ({ downstream }) => [toolOf('keyed', downstream, { gated: true, expiresIn: '60s' })],
    script: one('keyed'),
    effects: { keyed: 0 },
  },
  {
    title: 'an approval that expires in a week',
    tools: ({ downstream }) => [toolOf('keyed', downstream, { gated: true, expiresIn: '7d' })],
    script: one('keyed'),
    within: 8 * 86_400_000,
    effects: { keyed: 0 },
  },
  {
    title: 'four calls at once, one of each effect',
    tools: ({ downstream }) => kinds.map((kind) => toolOf(kind, downstream)),
    script: [{ toolCalls: kinds.map((name) => ({ name, args: { n: 1 } })) }, 'done'],
    person: careful,
    effects: { read: 1, keyed: 1, lookup: 1, once: 1 },
  },
  {
    title: 'two gated calls at once beside a free one',
    tools: ({ downstream }) => [
      toolOf('keyed', downstream, { gated: true }),
      toolOf('once', downstream, { gated: true }),
      toolOf('read', downstream),
    ],
    script: [{ toolCalls: ['keyed', 'once', 'read'].map((name) => ({ name, args: { n: 1 } })) }, 'done'],
    person: careful,
    effects: { keyed: 1, once: 1, read: 1 },
  },
  {
    title: 'a call that cannot connect at first',
    tools: ({ downstream }) => {
      const whole = toolOf('once', downstream);
      return [{ ...whole, run: failing(2, refused, whole.run) }];
    },
    script: one('once'),
    person: careful,
    effects: { once: 1 },
  },
  {
    title: 'a lookup call whose request lands after its connection has dropped',
    tools: ({ downstream }) => {
      const whole = toolOf('lookup', downstream);
      let drops = 1;
      const run: Tool['run'] = async (args, ctx) => {
        if (drops-- <= 0) return whole.run(args, ctx);
        await downstream.requestLate('lookup', { key: ctx.idempotencyKey, args, afterMs: 40_000 });
        throw reset();
      };
      return [{ ...whole, run }];
    },
    script: one('lookup'),
    person: careful,
    effects: { lookup: 1 },
  },
  {
    title: 'results that spill, and a snapshot at every other step',
    tools: ({ downstream }) => {
      const whole = toolOf('keyed', downstream);
      return [
        { ...whole, run: async (args, ctx) => ({ ...((await whole.run(args, ctx)) as object), text }) },
      ];
    },
    script: [...Array.from({ length: 4 }, () => one('keyed')[0] as ScriptItem), 'done'],
    spillAt: 500,
    snapshotEvery: 2,
    effects: { keyed: 4 },
  },
];

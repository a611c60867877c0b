import * as z from 'zod';
import { type Agent, defineAgent } from '../../lib/agent.ts';
import { type Effect, keyed, lookup, once } from '../../lib/core/effect.ts';
import type { InterruptView } from '../../lib/runtime/run-view.ts';
import { type ScriptItem, scriptedModel } from '../../lib/testing/index.ts';
import { defineTool, type Tool, type ToolOptions } from '../../lib/tool.ts';
import type { FakeDownstream } from './fake-downstream.ts';
import type { FaultMode, Stage } from './fault-stage.ts';

/** What a person answers to an interrupt; undefined leaves it to its expiry. */
type Person = (
  interrupt: InterruptView,
  downstream: FakeDownstream,
) => { decision: string; value?: unknown } | undefined;

export interface Scenario {
  readonly title: string;
  readonly tools: (parts: {
    stage: Pick<Stage, 'operation' | 'world'>;
    downstream: FakeDownstream;
  }) => Tool[];
  readonly script: readonly ScriptItem[];
  readonly person?: Person;
  readonly snapshotEvery?: number;
  readonly spillAt?: number;
  /** How long the clock may run on at rest, for expiries. */
  readonly within?: number;
  readonly output?: string;
  /** How often each tool's effect must have been applied, whatever went wrong; a range where a person had to guess. */
  readonly effects: Readonly<Record<string, number | readonly [number, number]>>;
}

const input = z.object({ n: z.number().default(0) });
type Run = ToolOptions<typeof input>['run'];

function makeTool(
  name: string,
  options: { effect: 'read' | Effect; run: Run; gated?: boolean; expiresIn?: string },
): Tool {
  const { effect, run, gated, expiresIn } = options;
  return defineTool<typeof input>({
    name,
    description: name,
    input,
    effect,
    run,
    ...(gated && {
      approval: { summary: ({ n }) => `${name} ${n}`, ...(expiresIn !== undefined && { expiresIn }) },
    }),
  });
}

/** A tool of each effect over the fake downstream. */
export function toolOf(
  kind: 'read' | 'keyed' | 'lookup' | 'once',
  downstream: FakeDownstream,
  more: { gated?: boolean; expiresIn?: string; name?: string } = {},
): Tool {
  const { name = kind, ...rest } = more;
  const effects: Record<typeof kind, 'read' | Effect> = {
    read: 'read',
    keyed: keyed({ window: '24h' }),
    lookup: lookup({ find: (key) => downstream.find(key), horizon: '60s' }),
    once: once(),
  };
  const run: Run = ({ n }, { idempotencyKey: key }) =>
    downstream.request(name, { key, args: { n }, honoursKeys: kind === 'keyed' || kind === 'read' });
  return makeTool(name, { effect: effects[kind], run, ...rest });
}

const one = (name: string): ScriptItem[] => [{ toolCalls: [{ name, args: { n: 1 } }] }, 'done'];

/** A person who looks at the downstream before answering, and never says yes to what would repeat an effect. */
const careful: Person = ({ reason, idempotencyKey = '' }, downstream) => {
  if (reason === 'awaiting_approval') return { decision: 'approve' };
  return downstream.applied().has(idempotencyKey)
    ? { decision: 'happened', value: { seen: true } }
    : { decision: 'retry' };
};

/**
 * A worker is killed at its timeout, long before others take its call over: it cannot send that late. Where it could,
 * `keyed` and `read` bear it.
 */
export function sendsTooLate(mode: FaultMode, label: string): boolean {
  return mode === 'takeover' && /^(model|downstream\.(lookup|once))$/.test(label);
}

/** Tools whose first requests go wrong; the count lives outside, as a downstream's would. */
function failing(times: number, error: () => Error, then: Tool['run']): Tool['run'] {
  let left = times;
  return (args, ctx) => {
    if (left-- > 0) throw error();
    return then(args, ctx);
  };
}

const refused = () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
const reset = () => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });

/** A tool whose connection drops after the downstream has done the work, the first time. */
function dropping(kind: 'read' | 'keyed' | 'lookup' | 'once', downstream: FakeDownstream): Tool {
  const whole = toolOf(kind, downstream);
  let drops = 1;
  return {
    ...whole,
    run: async (args, ctx) => {
      const answer = await whole.run(args, ctx);
      if (drops-- > 0) throw reset();
      return answer;
    },
  };
}

const kinds = ['read', 'keyed', 'lookup', 'once'] as const;
const text = 'x'.repeat(3_000);

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

/** The agent of a scenario. Its model notes each call it gets, by the number of answers that the prompt holds. */
export function agentFor(
  scenario: Scenario,
  stage: Pick<Stage, 'operation' | 'world'>,
  downstream: FakeDownstream,
  asked: (answers: number) => void,
): Agent {
  const scripted = scriptedModel(scenario.script);
  return defineAgent({
    name: 'agent',
    revision: '1',
    instructions: 'Do what the script says.',
    tools: scenario.tools({ stage, downstream }),
    model: {
      ...scripted,
      doGenerate: (options) =>
        stage.operation('model', () => {
          asked(options.prompt.filter((message) => message.role === 'assistant').length);
          return scripted.doGenerate(options);
        }),
    },
    ...(scenario.snapshotEvery !== undefined && { snapshotEvery: scenario.snapshotEvery }),
  });
}

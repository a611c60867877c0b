import * as z from 'zod';
import { type Effect, keyed, lookup, once } from '../../lib/core/effect.ts';
import type { ScriptItem } from '../../lib/testing/index.ts';
import { defineTool, type Tool, type ToolOptions } from '../../lib/tool.ts';
import type { FakeDownstream } from './fake-downstream.ts';
import type { Person } from './scenario.ts';

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

/** One call of a tool, then the end. */
export const one = (name: string): ScriptItem[] => [{ toolCalls: [{ name, args: { n: 1 } }] }, 'done'];

/** A person who looks at the downstream before answering, and never says yes to what would repeat an effect. */
export const careful: Person = ({ reason, idempotencyKey = '' }, downstream) => {
  if (reason === 'awaiting_approval') return { decision: 'approve' };
  return downstream.applied().has(idempotencyKey)
    ? { decision: 'happened', value: { seen: true } }
    : { decision: 'retry' };
};

/** Tools whose first requests go wrong; the count lives outside, as a downstream's would. */
export function failing(times: number, error: () => Error, then: Tool['run']): Tool['run'] {
  let left = times;
  return (args, ctx) => {
    if (left-- > 0) throw error();
    return then(args, ctx);
  };
}

export const refused = () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
export const reset = () => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });

/** A tool whose connection drops after the downstream has done the work, the first time. */
export function dropping(kind: 'read' | 'keyed' | 'lookup' | 'once', downstream: FakeDownstream): Tool {
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

export const kinds = ['read', 'keyed', 'lookup', 'once'] as const;

import type { MemoryWorld } from '../../lib/memory/memory-world.ts';
import type { Decision } from '../../lib/ports/decisions.ts';
import type { RunKey } from '../../lib/ports/run-key.ts';
import { decide } from '../../lib/runtime/decide.ts';
import { describeRun } from '../../lib/runtime/describe-run.ts';
import { resumeRun } from '../../lib/runtime/resume-run.ts';
import type { InterruptView } from '../../lib/runtime/run-view.ts';
import type { Runtime } from '../../lib/runtime/runtime.ts';
import { sweep } from '../../lib/runtime/sweep.ts';
import { cancelRun, sendMessage, sendSignal } from '../../lib/runtime/tell-run.ts';
import type { FakeDownstream } from '../support/fake-downstream.ts';
import type { Chance } from './chance.ts';

/** Something that was accepted, and must be found in the log. */
export type Promised =
  | { readonly kind: 'message' | 'signal'; readonly id: string }
  | { readonly kind: 'cancel' }
  | { readonly kind: 'decision'; readonly decision: Decision };

export type Deed = () => Promise<Promised | undefined>;

/** What people and systems may do to a run as it stands. */
export interface Outside {
  readonly rt: Runtime;
  readonly run: RunKey;
  readonly world: MemoryWorld;
  readonly downstream: FakeDownstream;
  readonly chance: Chance;
}

/** Answers to what is open, one for each way to answer it. */
export async function answers(outside: Outside): Promise<Deed[]> {
  const { rt, run, world } = outside;
  const { interrupts } = await describeRun({ ...rt, world }, run);
  return interrupts.flatMap((interrupt) => answersTo(outside, interrupt));
}

function answersTo({ rt, run, world, downstream, chance }: Outside, interrupt: InterruptView): Deed[] {
  const { interruptId, reason, retryAfter, idempotencyKey = '' } = interrupt;
  const say =
    (decision: string, value?: unknown): Deed =>
    async () => ({
      kind: 'decision',
      decision: await decide(rt, run, interruptId, {
        decision,
        by: chance.pick(['ann', 'bob']),
        ...(value !== undefined && { value }),
      }),
    });
  const resume =
    (key: RunKey): Deed =>
    async () => {
      await resumeRun(rt, key, { mode: 'verbatim', by: 'ann', limits: { steps: 200 } });
      return undefined;
    };
  switch (reason) {
    case 'awaiting_approval':
      return [say('approve'), say('deny')];
    case 'awaiting_input':
      return [say('answer', { well: true })];
    case 'in_doubt': {
      // A careful person looks at the downstream, and not before a request can have landed.
      if (downstream.applied().has(idempotencyKey)) return [say('skip'), say('happened', 1)];
      const early = retryAfter !== undefined && world.clock.now() < Date.parse(retryAfter);
      return early ? [say('skip')] : [say('skip'), say('retry')];
    }
    case 'budget_exceeded':
    case 'provider_blocked':
      return [resume(run)];
    case 'awaiting_child':
      return interrupt.child ? [resume({ ...run, runId: interrupt.child.runId })] : [];
    default:
      return [];
  }
}

/** What may come unasked, at any time. */
export function surprises({ rt, run, chance }: Outside, options: { cancels: boolean }): Deed[] {
  const id = `id${chance.int(9)}`;
  const deeds: Deed[] = [
    async () => {
      await sendMessage(rt, run, { content: id, messageId: id });
      return { kind: 'message', id };
    },
    async () => {
      await sendSignal(rt, run, { name: chance.pick(['paid', 'sent']), signalId: id, payload: id });
      return { kind: 'signal', id };
    },
    async () => {
      await (chance.happens(0.5)
        ? sweep(rt)
        : rt.world.wakes.send({ ...run, news: true, swept: true }, { lane: 'fast' }));
      return undefined;
    },
  ];
  if (options.cancels && chance.happens(0.3)) {
    deeds.push(async () => {
      await cancelRun(rt, run, { by: 'ann' });
      return { kind: 'cancel' };
    });
  }
  return deeds;
}

/** What lets a run end that waits for somebody unasked. */
export async function farewells({ rt, run, world }: Outside): Promise<Deed[]> {
  const { interrupts } = await describeRun({ ...rt, world }, run);
  return interrupts.flatMap(({ reason, name = '' }): Deed[] => {
    if (reason !== 'awaiting_message' && reason !== 'awaiting_signal') return [];
    return [
      async () => {
        if (reason === 'awaiting_signal') await sendSignal(rt, run, { name });
        else await sendMessage(rt, run, { content: 'bye', final: true });
        return undefined;
      },
    ];
  });
}

import type { Event } from '../../../../lib/core/events.ts';

/** A line of the model recorder: a call that the model received. */
export interface ReceivedCall {
  at: string;
  messages: number;
  promptHash: string;
}

/**
 * The calls that the model received although that call was finished: its answer was in the log, or no step of any log
 * accounts for it.
 *
 * Calls of one prompt are one call and its repetitions. It belongs to the step that was claimed last before the prompt
 * was first received; the runs share one clock.
 */
export function resentCalls(
  received: readonly ReceivedCall[],
  logs: readonly (readonly Event[])[],
): ReceivedCall[] {
  const free = logs.flatMap(modelSteps).sort((a, b) => b.claimedAt - a.claimedAt);
  const inOrder = received.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
  return [...Map.groupBy(inOrder, ({ promptHash }) => promptHash).values()].flatMap((calls) => {
    const first = Date.parse(calls[0]?.at ?? '');
    const index = free.findIndex(({ claimedAt }) => claimedAt <= first);
    const [step] = index < 0 ? [] : free.splice(index, 1);
    return step ? calls.filter(({ at }) => Date.parse(at) > step.answeredAt) : calls;
  });
}

function modelSteps(log: readonly Event[]): { claimedAt: number; answeredAt: number }[] {
  const claims = log.filter((event) => event.type === 'model_call_requested' && event.attempt === 1);
  return claims.map(({ step, at }) => {
    const answer = log.find((event) => event.type === 'model_responded' && event.step === step);
    return {
      claimedAt: Date.parse(at),
      answeredAt: answer ? Date.parse(answer.at) : Number.POSITIVE_INFINITY,
    };
  });
}

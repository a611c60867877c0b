import { resentCalls } from '../resent-calls.ts';
import type { Stage } from '../stage.ts';

/** A kill in a model call that has finished ones before it: it alone is issued again. */
export async function killInLaterModelCall(stage: Stage, run: string): Promise<void> {
  stage.chapter('Killed in a model call, with finished ones behind it');
  const { step } = await stage.see('log', 'model_call_requested: the third model call', async () => {
    const requests = (await stage.log(run)).modelRequests();
    return new Set(requests.map((request) => request.step)).size === 3 && requests.at(-1);
  });
  await stage.see('model', 'received it', () => {
    return new Set(stage.modelCalls().map(({ promptHash }) => promptHash)).size === 3;
  });

  await stage.kill('two model calls are answered, the third is not');
  await stage.desk.tell({ post_comment: { drop: 1 }, page_oncall: { delayBefore: PAGE_DELAY_MS } });
  await stage.serve();
  await stage.see('log', `model_call_requested (step ${step}, attempt 2), then model_responded`, async () => {
    return (await stage.log(run)).answeredAttempt(step) === 2;
  });
  const resent = resentCalls(stage.modelCalls(), [(await stage.log(run)).events]);
  stage.claim('model', 'received the third call again, and neither of the answered ones', {
    held: resent.length === 0,
    got: resent,
  });
}

/** Longer than it takes to see a request come in and to kill who sent it, and shorter than the horizon, in ms. */
const PAGE_DELAY_MS = 2_500;

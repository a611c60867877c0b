import { HELD_MS } from '../server-process.ts';
import type { Stage } from '../stage.ts';

/** A kill while the model answers its first call: the call is issued again, with the same prompt. Gives the run's id. */
export async function killInModelCall(stage: Stage): Promise<string> {
  stage.chapter('Killed while the model is answering');
  await stage.serve({ model: HELD_MS });
  const { runId } = await stage.stepfold('start', ['research', 'Why did checkout fail on Monday?']);
  const run = String(runId);
  await stage.see('log', 'model_call_requested (step 1): claimed, with no answer yet', async () => {
    const log = await stage.log(run);
    return log.modelRequests().length === 1 && log.answeredAttempt(1) === undefined;
  });
  await stage.see('model', 'received 1 call', () => stage.modelCalls().length === 1);

  await stage.kill('the model was still thinking');
  await stage.serve({ send: HELD_MS });
  await stage.see('log', 'model_call_requested (step 1, attempt 2), then model_responded', async () => {
    return (await stage.log(run)).answeredAttempt(1) === 2;
  });
  const [first, second] = stage.modelCalls();
  stage.claim('model', 'received the same prompt once more, since nobody had its answer', {
    held: first?.promptHash === second?.promptHash,
    got: [first, second],
  });
  return run;
}

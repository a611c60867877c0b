import { brief } from '../../../../../lib/cli/visible.ts';
import type { Stage } from '../stage.ts';

/** Both runs end: the first with its answer, the second without what a person denied. */
export async function reachTheEnd(
  stage: Stage,
  { run, second }: { run: string; second: string },
): Promise<void> {
  stage.chapter('The end of both runs');
  const { output } = await stage.see('log', 'run_completed, with this answer:', async () => {
    const view = await stage.run(run);
    return view.status === 'completed' && view;
  });
  for (const line of String(output).split('\n').filter(Boolean)) stage.tell('log', `  ${brief(line)}`);

  await stage.stepfold('deny', [second, '--by', 'tom', '--note', 'the follow-up is still open']);
  await stage.see('log', 'run_completed; close_ticket was denied, and never called', async () => {
    const [view, log] = [await stage.run(second), await stage.log(second)];
    return view.status === 'completed' && log.toolRequests('close_ticket').length === 0;
  });
}

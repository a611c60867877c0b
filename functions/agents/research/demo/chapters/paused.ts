import { HELD_MS } from '../server-process.ts';
import type { Stage } from '../stage.ts';

/** The run comes to a tool that a person must approve, and rests. */
export async function reachApproval(stage: Stage, run: string): Promise<void> {
  stage.chapter('A tool that a person must approve');
  const { summary } = await stage.see(
    'log',
    'interrupted (awaiting_approval): close_ticket is not called, the run is paused',
    async () => {
      const { status } = await stage.run(run);
      return status === 'paused' && (await stage.log(run)).interrupted('awaiting_approval');
    },
  );
  stage.tell('log', `what the person is shown: ${summary}`);
}

/** A kill while two runs are paused changes nothing; the approval is given afterwards. */
export async function killWhilePaused(
  stage: Stage,
  { run, second }: { run: string; second: string },
): Promise<void> {
  stage.chapter('Killed while both runs are paused, and approved afterwards');
  const paused = async () => {
    const views = await Promise.all([stage.run(run), stage.run(second)]);
    return views.every(({ status }) => status === 'paused') && views.map(({ seq }) => seq);
  };
  const before = await stage.see('log', 'both runs are paused', paused);

  await stage.kill('nothing is in flight');
  await stage.desk.tell({ close_ticket: { delayAfter: HELD_MS } });
  await stage.serve();
  const after = await paused();
  stage.claim('log', `both are paused as before, their last events still ${before.join(' and ')}`, {
    held: after !== false && after.join() === before.join(),
    got: after,
  });
  await stage.stepfold('approve', [run, '--by', 'ines']);
  await stage.see('log', 'resumed (approve by ines), then tool_call_requested: close_ticket', async () => {
    const log = await stage.log(run);
    const [request] = log.toolRequests('close_ticket');
    return request !== undefined && request.approval === log.interrupted('awaiting_approval')?.interruptId;
  });
}

import { killAfterTheEffect } from './chapters/after-the-effect.ts';
import { killInApprovedCall } from './chapters/approved-call.ts';
import { killBeforeTheRequest } from './chapters/before-the-request.ts';
import { dropComment, dropTicket } from './chapters/dropped-connection.ts';
import { reachTheEnd } from './chapters/end.ts';
import { killInLaterModelCall } from './chapters/later-model-call.ts';
import { killInModelCall } from './chapters/model-call.ts';
import { killInsidePage } from './chapters/page-in-doubt.ts';
import { killWhilePaused, reachApproval } from './chapters/paused.ts';
import type { Stage } from './stage.ts';

/**
 * One run from its start to its end through every kind of kill, and a second one beside it.
 *
 * Each chapter holds the world still where the next kill is to hit, kills, and starts a server that is held where the
 * chapter after it needs that.
 */
export async function tellStory(stage: Stage): Promise<void> {
  const run = await killInModelCall(stage);
  await killBeforeTheRequest(stage, run);
  await killAfterTheEffect(stage, run);
  await killInLaterModelCall(stage, run);
  await dropComment(stage, run);
  await killInsidePage(stage, run);
  await reachApproval(stage, run);
  const second = await dropTicket(stage);
  await killWhilePaused(stage, { run, second });
  await killInApprovedCall(stage, run);
  await reachTheEnd(stage, { run, second });
}

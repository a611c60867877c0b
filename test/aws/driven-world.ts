import { VARIABLES } from '../../lib/aws/aws-environment.ts';
import type { RequestCounts } from '../../lib/aws/request-count.ts';
import { toMessage } from '../../lib/aws/sqs-message.ts';
import { createMemoryWorld, type MemoryWorld } from '../../lib/memory/memory-world.ts';
import type { Notice } from '../../lib/ports/notifier.ts';
import type { Lane } from '../../lib/ports/wakes.ts';
import type { AwsStage } from './open-aws.ts';

/**
 * A world on the wire of AWS that is driven as the one in memory is. What the adapters have sent and scheduled is delivered
 * by that one's queue and clock, which play SQS, the scheduler and the passing of time.
 */
export async function drivenWorld(stage: AwsStage): Promise<{ world: MemoryWorld; requests: RequestCounts }> {
  const { aws, open, createRunsTable } = stage;
  const driver = createMemoryWorld();
  const env = { [VARIABLES.runsTable]: await createRunsTable() };
  const { world, requests } = open({ clock: driver.clock, env });
  const sent = aws.sent.length;
  const scheduled = aws.schedules.length;
  const told = aws.events.length;
  let [takenFromQueues, takenFromSchedules] = [sent, scheduled];

  async function collect(): Promise<void> {
    for (const { messageId, queueUrl, body, delaySeconds } of aws.sent.slice(takenFromQueues)) {
      const lane = laneOf(queueUrl);
      const { wake } = toMessage({ messageId, body, attributes: { ApproximateReceiveCount: '1' } }, lane);
      await driver.wakes.send(wake, { lane, delayMs: delaySeconds * 1_000 });
    }
    takenFromQueues = aws.sent.length;
    for (const { name, expression, arn, input } of aws.schedules.slice(takenFromSchedules)) {
      const at = Date.parse(`${expression.slice('at('.length, -1)}Z`);
      await driver.timers.arm({ name, at, wake: JSON.parse(input), lane: laneOf(arn) });
    }
    takenFromSchedules = aws.schedules.length;
  }

  const ports: Partial<MemoryWorld> = {
    ...world,
    wakes: { send: (...sending) => world.wakes.send(...sending).finally(collect) },
    timers: { arm: (timer) => world.timers.arm(timer).finally(collect) },
    notices: () => aws.events.slice(told).map(({ Detail }) => JSON.parse(String(Detail)) as Notice),
  };
  return { requests, world: { ...driver, ...ports } };
}

/** Both the URL and the ARN of a queue end in its name. */
function laneOf(queue: string): Lane {
  return queue.split(/[/:]/).at(-1) as Lane;
}

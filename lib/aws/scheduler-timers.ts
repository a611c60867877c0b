import type { CreateScheduleCommandInput } from '@aws-sdk/client-scheduler';
import { sha256 } from '../core/hash.ts';
import type { Timers } from '../ports/timers.ts';
import type { Lane, Wakes } from '../ports/wakes.ts';
import type { Clock } from '../ports/world.ts';
import type { Scheduler } from './aws-clients.ts';
import { answered, attempt } from './vendor-errors.ts';

type Timer = Parameters<Timers['arm']>[0];

export interface SchedulerTimersOptions {
  readonly scheduler: () => Promise<Scheduler>;
  readonly clock: Clock;
  readonly wakes: Wakes;
  /** The schedule group of this environment. */
  readonly group: string;
  /** The role that lets the scheduler send to the queues. */
  readonly roleArn: string;
  /** The ARN of each lane's queue. */
  readonly queueArns: Readonly<Record<Lane, string>>;
}

/** Timers as one-time schedules, which delete themselves once they have sent their wake. */
export function schedulerTimers(options: SchedulerTimersOptions): Timers {
  const { scheduler, clock, wakes } = options;

  return {
    async arm(timer) {
      const { name, at, wake, lane } = timer;
      if (at <= clock.now()) return wakes.send(wake, { lane });
      const { client, sdk } = await scheduler();
      const command = new sdk.CreateScheduleCommand(scheduleOf(timer, options));
      try {
        await attempt(`the timer ${name}`, (until) => client.send(command, until));
      } catch (error) {
        if (answered(error, 'ConflictException')) return;
        if (!isInThePast(error)) throw error;
        await wakes.send(wake, { lane });
      }
    },
  };
}

function scheduleOf(
  { name, at, wake, lane }: Timer,
  options: SchedulerTimersOptions,
): CreateScheduleCommandInput {
  const { group, roleArn, queueArns } = options;
  return {
    // Names are bound to 64 characters of few kinds; the same timer has the same name.
    Name: sha256(name),
    GroupName: group,
    ScheduleExpression: `at(${wholeSecond(at)})`,
    FlexibleTimeWindow: { Mode: 'OFF' },
    ActionAfterCompletion: 'DELETE',
    Target: { Arn: queueArns[lane], RoleArn: roleArn, Input: JSON.stringify(wake) },
  };
}

/** The scheduler knows whole seconds; the next one is never too early. */
function wholeSecond(at: number): string {
  return new Date(Math.ceil(at / 1_000) * 1_000).toISOString().slice(0, 19);
}

function isInThePast(error: unknown): boolean {
  return /\bpast\b/i.test(answered(error, 'ValidationException')?.message ?? '');
}

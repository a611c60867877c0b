import { systemClock } from '../local/system-clock.ts';
import { systemIds } from '../local/system-ids.ts';
import type { Clock, World } from '../ports/world.ts';
import { createAwsClients } from './aws-clients.ts';
import { queueArn, readAwsEnvironment } from './aws-environment.ts';
import { dynamoDecisions } from './dynamo-decisions.ts';
import { dynamoEventLog } from './dynamo-event-log.ts';
import { dynamoInbox } from './dynamo-inbox.ts';
import { dynamoRunIndex } from './dynamo-run-index.ts';
import { dynamoTable } from './dynamo-table.ts';
import { eventBridgeNotifier } from './eventbridge-notifier.ts';
import type { RequestCounts } from './request-count.ts';
import { s3Blobs } from './s3-blobs.ts';
import { schedulerTimers } from './scheduler-timers.ts';
import { sqsWakes } from './sqs-wakes.ts';

export interface AwsWorldOptions {
  /** The variables that name tables, queues and the rest. @default the environment of this process */
  env?: Readonly<Record<string, string | undefined>>;
  /** @default the clock of the machine */
  clock?: Clock;
}

/** The world of a deployment, and what it has asked of AWS so far. */
export interface AwsWorld {
  readonly world: World;
  readonly requests: RequestCounts;
}

/** The greatest difference between two workers' clocks that is borne, in ms. */
const MARGIN_MS = 30_000;

/**
 * Joins the adapters to a deployment. It builds the clients, and so is called once in a process.
 *
 * @throws StepfoldError `missing_environment`, naming every variable that is not set.
 */
export function createAwsWorld({ env = process.env, clock = systemClock }: AwsWorldOptions = {}): AwsWorld {
  const names = readAwsEnvironment(env);
  const requests: RequestCounts = new Map();
  const { dynamo, sqs, s3, scheduler, events } = createAwsClients(names.region, requests);
  const queues = { fast: names.fastQueueUrl, long: names.longQueueUrl, settle: names.settleQueueUrl };
  const roleArn = names.scheduleRoleArn;
  const arnOf = (url: string) => queueArn(url, names.region, roleArn);
  const queueArns = { fast: arnOf(queues.fast), long: arnOf(queues.long), settle: arnOf(queues.settle) };
  const wakes = sqsWakes({ client: sqs, queues });

  return {
    requests,
    world: {
      log: dynamoEventLog(dynamoTable(dynamo, names.logTable)),
      index: dynamoRunIndex(dynamoTable(dynamo, names.runsTable)),
      inbox: dynamoInbox(dynamoTable(dynamo, names.inboxTable)),
      decisions: dynamoDecisions(dynamoTable(dynamo, names.decisionsTable)),
      blobs: s3Blobs({ s3, bucket: names.bucket }),
      wakes,
      timers: schedulerTimers({ scheduler, clock, wakes, group: names.scheduleGroup, roleArn, queueArns }),
      notifier: eventBridgeNotifier({ events, bus: names.bus }),
      clock,
      ids: systemIds(clock),
      fence: { margin: MARGIN_MS },
    },
  };
}

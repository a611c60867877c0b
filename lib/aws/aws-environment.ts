import { StepfoldError } from '../core/errors.ts';

/** The variables of a function's environment, and what each says. A stack sets them from this same list. */
export const VARIABLES = {
  region: 'AWS_REGION',
  logTable: 'STEPFOLD_LOG_TABLE',
  runsTable: 'STEPFOLD_RUNS_TABLE',
  inboxTable: 'STEPFOLD_INBOX_TABLE',
  decisionsTable: 'STEPFOLD_DECISIONS_TABLE',
  bucket: 'STEPFOLD_BUCKET',
  fastQueueUrl: 'STEPFOLD_FAST_QUEUE_URL',
  longQueueUrl: 'STEPFOLD_LONG_QUEUE_URL',
  settleQueueUrl: 'STEPFOLD_SETTLE_QUEUE_URL',
  scheduleGroup: 'STEPFOLD_SCHEDULE_GROUP',
  scheduleRoleArn: 'STEPFOLD_SCHEDULE_ROLE_ARN',
  bus: 'STEPFOLD_BUS',
} as const;

export type AwsEnvironment = Readonly<Record<keyof typeof VARIABLES, string>>;

/**
 * Reads the environment of a function.
 *
 * @throws StepfoldError `missing_environment`, naming every variable that is not set.
 */
export function readAwsEnvironment(env: Readonly<Record<string, string | undefined>>): AwsEnvironment {
  const entries = Object.entries(VARIABLES);
  const missing = entries.map(([, name]) => name).filter((name) => !env[name]);
  if (missing.length === 0) {
    return Object.fromEntries(entries.map(([key, name]) => [key, env[name]])) as AwsEnvironment;
  }
  throw new StepfoldError(
    'missing_environment',
    `expected the environment variables of a deployed function; ${missing.join(', ')} ` +
      `${missing.length === 1 ? 'is' : 'are'} not set. The stack sets them all.`,
    { details: { missing } },
  );
}

/** The ARN of a queue, which a schedule needs in place of its URL; `role` is an ARN of the same partition. */
export function queueArn(url: string, region: string, role: string): string {
  const [account, name] = new URL(url).pathname.split('/').slice(-2);
  return `arn:${role.split(':')[1]}:sqs:${region}:${account}:${name}`;
}

import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { StepfoldError } from '../core/errors.ts';
import { sha256 } from '../core/hash.ts';
import { type Lane, MAX_DELAY_MS, type Wakes } from '../ports/wakes.ts';
import { attempt } from './vendor-errors.ts';

/** What SQS takes as a message group. */
const GROUP = /^[A-Za-z0-9!-/:-@[-`{-~]{1,128}$/;

/** Wakes on standard queues, one for each lane. Each tenant is a group, so that none keeps the others waiting. */
export function sqsWakes(options: { client: SQSClient; queues: Readonly<Record<Lane, string>> }): Wakes {
  const { client, queues } = options;

  return {
    async send(wake, { lane, delayMs = 0 }) {
      if (!(delayMs >= 0 && delayMs <= MAX_DELAY_MS)) {
        throw new StepfoldError('bad_delay', `expected a delay of 0 to ${MAX_DELAY_MS} ms; got ${delayMs}`);
      }
      const command = new SendMessageCommand({
        QueueUrl: queues[lane],
        MessageBody: JSON.stringify(wake),
        MessageGroupId: GROUP.test(wake.tenant) ? wake.tenant : sha256(wake.tenant),
        // Whole seconds, and never too early.
        ...(delayMs > 0 && { DelaySeconds: Math.ceil(delayMs / 1_000) }),
      });
      await attempt(`the ${lane} queue`, (until) => client.send(command, until));
    },
  };
}

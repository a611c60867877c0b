import { expect, test } from 'vitest';
import { queueArn, VARIABLES } from '../../lib/aws/aws-environment.ts';
import { createAwsWorld } from '../../lib/aws/aws-world.ts';
import { packUlid, packUuid, unpackUlid, unpackUuid } from '../../lib/aws/packed-ids.ts';
import { filesUnder, readDocument } from '../readme/documents.ts';

test('every missing variable is named at once', () => {
  const { AWS_REGION: _, ...names } = Object.fromEntries(
    Object.values(VARIABLES).map((name) => [name, 'set']),
  );
  const env = { ...names, STEPFOLD_BUS: '', STEPFOLD_LOG_TABLE: undefined };
  expect(() => createAwsWorld({ env })).toThrow(
    expect.objectContaining({
      code: 'missing_environment',
      message: expect.stringContaining('AWS_REGION, STEPFOLD_LOG_TABLE, STEPFOLD_BUS are not set'),
    }),
  );
});

test.each([
  ['https://sqs.eu-central-1.amazonaws.com/123456789012/fast', 'aws'],
  ['https://sqs.cn-north-1.amazonaws.com.cn/123456789012/fast', 'aws-cn'],
  ['http://127.0.0.1:4566/123456789012/fast', 'aws'],
])('the ARN of the queue at %s', (url, partition) => {
  const role = `arn:${partition}:iam::123456789012:role/schedules`;
  expect(queueArn(url, 'the-region', role)).toBe(`arn:${partition}:sqs:the-region:123456789012:fast`);
});

test.each(['00000000000000000000000000', '7ZZZZZZZZZZZZZZZZZZZZZZZZZ', '01KC0Z8Q4H3W5X6Y7Z8A9BCDEF'])(
  'the ulid %s takes 16 bytes and comes back',
  (id) => {
    expect(packUlid(id).B).toHaveLength(16);
    expect(unpackUlid(packUlid(id))).toBe(id);
  },
);

test.each([
  '',
  'owner',
  '8ZZZZZZZZZZZZZZZZZZZZZZZZZ',
  '01kc0z8q4h3w5x6y7z8a9bcdef',
  '01KC0Z8Q4H3W5X6Y7Z8A9BCDEF.1',
])('what is no ulid stays as it is: %j', (id) => expect(unpackUlid(packUlid(id))).toBe(id));

test.each(['5fea7756-0ea4-451a-a703-a558b933e274', '5FEA7756-0EA4-451A-A703-A558B933E274', 'message', ''])(
  'the message id %j comes back',
  (id) => expect(unpackUuid(packUuid(id))).toBe(id),
);

test('the clients of S3, the scheduler and the bus are loaded only when they are needed', () => {
  const sources = filesUnder('lib/aws', '.ts').map(readDocument);
  const statically = /^import (?!type).*from '@aws-sdk\/(.*)';$/gm;
  const loaded = sources.flatMap((source) => [...source.matchAll(statically)].map(([, name]) => name));
  expect([...new Set(loaded)].sort()).toEqual(['client-dynamodb', 'client-sqs']);
});

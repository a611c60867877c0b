import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Blobs } from '../../lib/ports/blobs.ts';
import { freshRun } from '../contracts/open.ts';
import { s3Fault } from './fake-aws.ts';
import { type AwsStage, openAwsStage } from './open-aws.ts';

const BYTES = Buffer.from('a payload');
const KEY = createHash('sha256').update(BYTES).digest('hex');

describe('blobs in S3', () => {
  let stage: AwsStage;
  let blobs: Blobs;

  beforeAll(async () => {
    stage = await openAwsStage();
    blobs = stage.open().world.blobs;
  });
  afterEach(() => stage.aws.disturb());
  afterAll(() => stage.close());

  test('a put names its content, is made only where nothing is, and lets S3 check the content', async () => {
    const run = freshRun('a tenant/with marks');
    await blobs.put(run, KEY, BYTES);
    const { path, headers } = stage.aws.asked.at(-1)!;
    expect(path).toBe(`/blobs/${run.tenant}/${run.runId}/${KEY}`);
    expect(headers).toMatchObject({
      'if-none-match': '*',
      'x-amz-checksum-sha256': Buffer.from(KEY, 'hex').toString('base64'),
    });
  });

  test('bytes that do not have the hash of their name are refused', async () => {
    await expect(blobs.put(freshRun(), KEY, Buffer.from('others'))).rejects.toMatchObject({
      code: 'aws_refused',
    });
  });

  test('a put at the same time as another of the same object is made again', async () => {
    const run = freshRun();
    let conflicts = 0;
    stage.aws.disturb(async (_, pass) =>
      conflicts++ < 2 ? s3Fault(409, 'ConditionalRequestConflict') : pass(),
    );
    await blobs.put(run, KEY, BYTES);
    expect(conflicts).toBe(3);
    expect(Buffer.from((await blobs.get(run, KEY))!)).toEqual(BYTES);
  });

  test('a put that only meets conflicts is unavailable in the end', async () => {
    stage.aws.disturb(async () => s3Fault(409, 'ConditionalRequestConflict'));
    await expect(blobs.put(freshRun(), KEY, BYTES)).rejects.toMatchObject({ code: 'unavailable' });
  });

  test.each([
    ['is said to be missing', 404, 'NoSuchKey', 'The specified key does not exist.'],
    ['is denied, for lack of the right to list', 403, 'AccessDenied', 'Access Denied'],
    [
      'is denied by the name of that right',
      403,
      'AccessDenied',
      'User: arn:aws:sts::1:role/step is not authorized to perform: s3:ListBucket on resource: "arn:aws:s3:::b"',
    ],
  ])('an object that %s is not there', async (_, status, code, message) => {
    stage.aws.disturb(async () => s3Fault(status, code, message));
    expect(await blobs.get(freshRun(), KEY)).toBeUndefined();
  });

  test.each([
    ['AccessDenied', 'User is not authorized to perform: kms:Decrypt on this resource'],
    ['AccessDenied', 'User is not authorized to perform: s3:GetObject on resource'],
    ['InvalidAccessKeyId', 'The key does not exist in our records'],
  ])('%s (%s) is not taken for a missing object', async (code, message) => {
    stage.aws.disturb(async () => s3Fault(403, code, message));
    await expect(blobs.get(freshRun(), KEY)).rejects.toMatchObject({ code: 'aws_refused' });
  });

  test.each([
    ['slows down', async () => s3Fault(503, 'SlowDown')],
    ['cuts a body short', async () => ({ status: 200, body: 'short', cut: true }) as const],
  ])('a store that %s is unavailable', async (_, answer) => {
    stage.aws.disturb(answer);
    await expect(blobs.get(freshRun(), KEY)).rejects.toMatchObject({ code: 'unavailable' });
  });
});

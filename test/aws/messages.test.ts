import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { toMessage } from '../../lib/aws/sqs-message.ts';
import { virtualClock } from '../../lib/memory/virtual-clock.ts';
import type { Notice } from '../../lib/ports/notifier.ts';
import type { World } from '../../lib/ports/world.ts';
import { freshRun } from '../contracts/open.ts';
import { fault, json } from './fake-aws.ts';
import { type AwsStage, openAwsStage } from './open-aws.ts';

const NOW = Date.UTC(2026, 0, 1);
const HOUR = 3_600_000;

let stage: AwsStage;
let world: World;

beforeAll(async () => {
  stage = await openAwsStage();
  world = stage.open({ clock: virtualClock(NOW) }).world;
});
afterEach(() => {
  stage.aws.disturb();
  stage.aws.sent.length = 0;
  stage.aws.schedules.length = 0;
});
afterAll(() => stage.close());

describe('wakes on SQS', () => {
  test.each([
    [0, 0],
    [1, 1],
    [1_000, 1],
    [1_001, 2],
    [900_000, 900],
  ])('a delay of %d ms is %d s: whole, and never too early', async (delayMs, seconds) => {
    await world.wakes.send(freshRun(), { lane: 'fast', delayMs });
    expect(stage.aws.sent.at(-1)).toMatchObject({ delaySeconds: seconds });
  });

  test('each lane has its queue, and each tenant is a group for fair shares', async () => {
    for (const lane of ['fast', 'long', 'settle'] as const)
      await world.wakes.send(freshRun('acme'), { lane });
    expect(stage.aws.sent.map(({ queueUrl, group }) => [queueUrl.split('/').at(-1), group])).toEqual([
      ['fast', 'acme'],
      ['long', 'acme'],
      ['settle', 'acme'],
    ]);
  });

  test('a tenant whose name no group can have has a group all the same, always the same', async () => {
    for (const tenant of ['Ünïcode AG', 'Ünïcode AG', 'x'.repeat(200)]) {
      await world.wakes.send(freshRun(tenant), { lane: 'fast' });
    }
    const [first, again, long] = stage.aws.sent.map(({ group }) => group);
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    expect(again).toBe(first);
    expect(long).not.toBe(first);
  });

  test('a queue that does not answer is unavailable', async () => {
    stage.aws.disturb(async () => fault(503, 'ServiceUnavailable'));
    await expect(world.wakes.send(freshRun(), { lane: 'fast' })).rejects.toMatchObject({
      code: 'unavailable',
    });
  });

  test.each([
    'no json',
    'null',
    '[]',
    '{}',
    '{"tenant":"a"}',
    '{"tenant":"a","runId":"b#c"}',
    '{"tenant":"a","runId":"b","manifest":"9"}',
    '{"tenant":"a","runId":"b","manifest":1e999}',
    '{"tenant":"a","runId":"b","more":1}',
  ])('a forged body is refused: %s', (body) => {
    const record = { messageId: 'm', body, attributes: { ApproximateReceiveCount: '1' } };
    expect(() => toMessage(record, 'fast')).toThrow(expect.objectContaining({ code: 'bad_wake' }));
  });
});

describe('timers of the scheduler', () => {
  const timer = {
    name: 'tenant.run.€ int/1',
    at: NOW + HOUR + 1,
    wake: { tenant: 't', runId: 'r' },
  } as const;

  test('a timer is a schedule of the group, at a whole second that is not too early, which deletes itself', async () => {
    await world.timers.arm({ ...timer, lane: 'settle' });
    const { path, body } = stage.aws.asked.at(-1)!;
    expect(path).toMatch(/^\/schedules\/[0-9a-f]{64}$/);
    expect(JSON.parse(`${body}`)).toMatchObject({
      GroupName: 'stepfold-test',
      ScheduleExpression: 'at(2026-01-01T01:00:01)',
      FlexibleTimeWindow: { Mode: 'OFF' },
      ActionAfterCompletion: 'DELETE',
      Target: {
        Arn: 'arn:aws:sqs:eu-central-1:123456789012:settle',
        RoleArn: 'arn:aws:iam::123456789012:role/schedules',
        Input: JSON.stringify(timer.wake),
      },
    });
  });

  test('the name is the same in every process, and armed twice is one schedule', async () => {
    await world.timers.arm({ ...timer, lane: 'fast' });
    await stage.open({ clock: virtualClock(NOW) }).world.timers.arm({ ...timer, lane: 'fast' });
    expect(stage.aws.schedules).toHaveLength(1);
  });

  test('a time that is past by now, or by the time that the scheduler looks, is due: the wake goes out', async () => {
    await world.timers.arm({ ...timer, at: NOW, lane: 'fast' });
    expect(stage.aws.sent).toHaveLength(1);
    stage.aws.disturb(async ({ service }, pass) => (service === 'scheduler' ? inThePast() : pass()));
    await world.timers.arm({ ...timer, lane: 'long' });
    expect(stage.aws.sent.map(({ queueUrl }) => queueUrl.split('/').at(-1))).toEqual(['fast', 'long']);
    expect(stage.aws.schedules).toEqual([]);
  });

  test.each([
    ['a full group', 402, 'ServiceQuotaExceededException', 'unavailable'],
    ['too many requests', 429, 'ThrottlingException', 'unavailable'],
    ['a group that does not exist', 404, 'ResourceNotFoundException', 'aws_refused'],
  ])('%s is told by its code', async (_, status, type, code) => {
    stage.aws.disturb(async () => fault(status, type));
    await expect(world.timers.arm({ ...timer, lane: 'fast' })).rejects.toMatchObject({ code });
  });
});

describe('notices on a bus', () => {
  const notice: Notice = {
    id: 'run.int-1',
    type: 'interrupted',
    tenant: 'tenant',
    runId: 'run',
    agent: 'research',
    at: '2026-01-01T00:00:00.000Z',
  };

  test('a notice is one event of ours on the bus, with the facts and their time', async () => {
    await world.notifier.tell(notice);
    expect(stage.aws.events.at(-1)).toMatchObject({
      EventBusName: 'stepfold-test',
      Source: 'stepfold',
      DetailType: 'Run interrupted',
      Detail: JSON.stringify(notice),
      Time: Date.parse(notice.at) / 1_000,
    });
  });

  test.each([
    ['ThrottlingException', 'unavailable'],
    ['InternalFailure', 'unavailable'],
    ['NotAuthorizedForSourceException', 'aws_refused'],
  ])('an entry that is refused with %s in a good answer was not told', async (ErrorCode, code) => {
    const entries = [{ ErrorCode, ErrorMessage: 'as the bus says it' }];
    stage.aws.disturb(async () => json(200, { FailedEntryCount: 1, Entries: entries }));
    await expect(world.notifier.tell(notice)).rejects.toMatchObject({ code });
  });
});

function inThePast() {
  return fault(400, 'ValidationException', {
    message: 'Invalid Schedule Expression: the time is in the past.',
  });
}

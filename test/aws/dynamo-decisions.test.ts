import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Decision, Decisions } from '../../lib/ports/decisions.ts';
import { freshRun } from '../contracts/open.ts';
import { fault } from './fake-aws.ts';
import { type AwsStage, openAwsStage } from './open-aws.ts';

describe('decisions in DynamoDB', () => {
  let stage: AwsStage;
  let decisions: Decisions;

  beforeAll(async () => {
    stage = await openAwsStage();
    decisions = stage.open().world.decisions;
  });
  afterEach(() => stage.aws.disturb());
  afterAll(() => stage.close());

  test('who loses is told from the answer what the slot holds, without another request', async () => {
    const theirs = decisionBy('ada');
    const there = { p: { S: 'tenant#run' }, s: { S: 'int-1' }, e: { S: JSON.stringify(theirs) } };
    stage.aws.disturb(async ({ operation }) =>
      operation === 'PutItem'
        ? fault(400, 'ConditionalCheckFailedException', { Item: there })
        : fault(500, 'Broken'),
    );
    expect(await decisions.put(freshRun(), decisionBy('bob'))).toEqual({ won: false, holds: theirs });
    expect(JSON.parse(`${stage.aws.asked.at(-1)!.body}`)).toMatchObject({
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
  });

  test('who put a decision and lost the answer is told of that decision', async () => {
    const run = freshRun();
    let lost = 0;
    stage.aws.disturb(async ({ operation }, pass) => {
      const answer = await pass();
      return operation === 'PutItem' && lost++ === 0 ? undefined : answer;
    });
    expect(await decisions.put(run, decisionBy('ada'))).toEqual({ won: false, holds: decisionBy('ada') });
  });

  test('a slot that was taken and is empty when it is read belongs to a run that is being erased', async () => {
    stage.aws.disturb(async ({ operation }, pass) =>
      operation === 'PutItem' ? fault(400, 'ConditionalCheckFailedException') : pass(),
    );
    await expect(decisions.put(freshRun(), decisionBy('ada'))).rejects.toMatchObject({
      code: 'decision_gone',
    });
  });
});

function decisionBy(by: string): Decision {
  return { interruptId: 'int-1', decision: 'approve', by, at: '2026-01-01T00:00:00.000Z' };
}

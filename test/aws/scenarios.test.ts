import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { complaints, play } from '../support/play-scenario.ts';
import type { Scenario } from '../support/scenario.ts';
import { toolOf } from '../support/scenario-tools.ts';
import { SCENARIOS } from '../support/sweep-scenarios.ts';
import { CANCELS, WAITS } from '../support/wait-scenarios.ts';
import { drivenWorld } from './driven-world.ts';
import { type Asked, fault } from './fake-aws.ts';
import { type AwsStage, openAwsStage } from './open-aws.ts';

const ALL = [...SCENARIOS, ...WAITS, ...CANCELS].map((scenario) => [scenario.title, scenario] as const);

/** More than the deliveries without success after which a run is set aside for its own fault. */
const DELIVERIES = 12;

describe('a run on AWS', () => {
  let stage: AwsStage;

  beforeEach(async () => {
    stage = await openAwsStage();
  });
  afterEach(() => stage.close());

  async function playOnAws(scenario: Scenario) {
    const { world, requests } = await drivenWorld(stage);
    const played = await play(scenario, { place: () => ({ world, restart: async () => {} }) });
    return { played, requests };
  }

  test.each(ALL.filter((_, index) => index % 3 !== 0))('%s: ends as it should', async (_, scenario) => {
    expect(complaints(scenario, (await playOnAws(scenario)).played)).toEqual([]);
  });

  test.each(ALL.filter((_, index) => index % 3 === 0))(
    '%s: ends as it should though every third answer to a write is lost',
    async (_, scenario) => {
      let writes = 0;
      stage.aws.disturb(async (asked, pass) => {
        const answer = await pass();
        return isWrite(asked) && writes++ % 3 === 0 ? undefined : answer;
      });
      expect(complaints(scenario, (await playOnAws(scenario)).played)).toEqual([]);
      expect(writes).toBeGreaterThan(15);
    },
  );

  test('outlives an outage of more deliveries than set a run aside', async () => {
    let requests = 0;
    stage.aws.disturb(async ({ service }, pass) => {
      const isOut = service === 'dynamodb' && ++requests > 20 && requests <= 20 + 4 * DELIVERIES;
      return isOut ? fault(500, 'InternalServerError') : pass();
    });
    const [, scenario] = ALL.find(([title]) => title === 'a keyed call')!;
    const { played } = await playOnAws(scenario);
    expect(complaints(scenario, played)).toEqual([]);
    expect(requests).toBeGreaterThan(20 + 4 * DELIVERIES);
  });

  test('of a hundred steps costs little more than two writes and one load each', async () => {
    const calls = 50;
    const { played, requests } = await playOnAws({
      title: 'a long run',
      tools: ({ downstream }) => [toolOf('keyed', downstream)],
      script: [
        ...Array.from({ length: calls }, (_, n) => ({ toolCalls: [{ name: 'keyed', args: { n } }] })),
        'done',
      ],
      effects: { keyed: calls },
    });
    const { status, steps } = played.view;
    expect([status, steps]).toEqual(['completed', 2 * calls + 1]);
    const calledPerStep = (operation: string) => (requests.get(operation)?.calls ?? 0) / steps;
    expect(calledPerStep('DynamoDBClient.PutItemCommand')).toBeLessThanOrEqual(2.1);
    expect(calledPerStep('DynamoDBClient.UpdateItemCommand')).toBeLessThanOrEqual(0.05);
    // Every other step is a model call, which reads what it shows the model too.
    expect(calledPerStep('DynamoDBClient.QueryCommand')).toBeLessThanOrEqual(1.6);
    expect(stage.aws.asked.filter(isLoad).length / steps).toBeLessThanOrEqual(1.1);
    expect(calledPerStep('SQSClient.SendMessageCommand')).toBeLessThanOrEqual(1.05);
  });
});

/** The first query of a load is the only one with this limit. */
function isLoad({ operation, body }: Asked): boolean {
  return operation === 'Query' && (JSON.parse(`${body}`) as { Limit?: number }).Limit === 48;
}

function isWrite({ service, operation }: Asked): boolean {
  return service === 'dynamodb' ? /^(Put|Update)Item$/.test(operation) : operation !== 'GET';
}

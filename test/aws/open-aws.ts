import {
  type AttributeDefinition,
  CreateTableCommand,
  DynamoDBClient,
  type KeySchemaElement,
} from '@aws-sdk/client-dynamodb';
import { VARIABLES } from '../../lib/aws/aws-environment.ts';
import { type AwsWorld, createAwsWorld } from '../../lib/aws/aws-world.ts';
import { TABLES } from '../../lib/aws/key-names.ts';
import type { Clock } from '../../lib/ports/world.ts';
import { type FakeAws, startFakeAws } from './fake-aws.ts';

const REGION = 'eu-central-1';

/** The wire of AWS with tables, and worlds on it. */
export interface AwsStage {
  readonly aws: FakeAws;
  readonly dynamo: DynamoDBClient;
  readonly env: Record<string, string>;
  open(options?: { clock?: Clock; env?: Record<string, string> }): AwsWorld;
  /** Makes a table of headers that nobody else uses. */
  createRunsTable(): Promise<string>;
  close(): Promise<void>;
}

let tablesMade = 0;

/** The clients find the wire as they find any endpoint: by the variables of this process. */
export async function openAwsStage(): Promise<AwsStage> {
  const aws = await startFakeAws();
  process.env.AWS_ENDPOINT_URL = aws.url;
  process.env.AWS_ACCESS_KEY_ID = 'test';
  process.env.AWS_SECRET_ACCESS_KEY = 'test';
  const dynamo = new DynamoDBClient({ region: REGION });
  const create = async (kind: keyof typeof TABLES) => {
    const name = `${kind}-${++tablesMade}`;
    await dynamo.send(new CreateTableCommand(definitionOf(kind, name)));
    return name;
  };
  const queue = (lane: string) => `${aws.url}/123456789012/${lane}`;
  const env = {
    [VARIABLES.region]: REGION,
    [VARIABLES.logTable]: await create('log'),
    [VARIABLES.runsTable]: await create('runs'),
    [VARIABLES.inboxTable]: await create('inbox'),
    [VARIABLES.decisionsTable]: await create('decisions'),
    [VARIABLES.bucket]: 'blobs',
    [VARIABLES.fastQueueUrl]: queue('fast'),
    [VARIABLES.longQueueUrl]: queue('long'),
    [VARIABLES.settleQueueUrl]: queue('settle'),
    [VARIABLES.scheduleGroup]: 'stepfold-test',
    [VARIABLES.scheduleRoleArn]: 'arn:aws:iam::123456789012:role/schedules',
    [VARIABLES.bus]: 'stepfold-test',
  };
  return {
    aws,
    dynamo,
    env,
    open: ({ env: over = {}, ...options } = {}) => createAwsWorld({ env: { ...env, ...over }, ...options }),
    createRunsTable: () => create('runs'),
    async close() {
      dynamo.destroy();
      await aws.close();
    },
  };
}

type Key = { partition: { name: string; type: 'S' | 'N' }; sort?: { name: string; type: 'S' | 'N' } };

/** The table as a stack would create it, from the same names. */
function definitionOf(kind: keyof typeof TABLES, name: string) {
  const table = TABLES[kind];
  const indexes = Object.entries(table.indexes) as [string, Key][];
  const parts = [table as Key, ...indexes.map(([, key]) => key)].flatMap(({ partition, sort }) => [
    partition,
    ...(sort ? [sort] : []),
  ]);
  const types = new Map(parts.map((part) => [part.name, part.type]));
  return {
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST' as const,
    KeySchema: schemaOf(table),
    AttributeDefinitions: [...types].map(
      ([AttributeName, AttributeType]): AttributeDefinition => ({ AttributeName, AttributeType }),
    ),
    ...(indexes.length > 0 && {
      GlobalSecondaryIndexes: indexes.map(([IndexName, key]) => ({
        IndexName,
        KeySchema: schemaOf(key),
        Projection: { ProjectionType: 'ALL' as const },
      })),
    }),
  };
}

function schemaOf({ partition, sort }: Key): KeySchemaElement[] {
  const hash: KeySchemaElement = { AttributeName: partition.name, KeyType: 'HASH' };
  return sort ? [hash, { AttributeName: sort.name, KeyType: 'RANGE' }] : [hash];
}

import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type * as EventBridgeSdk from '@aws-sdk/client-eventbridge';
import type * as S3Sdk from '@aws-sdk/client-s3';
import type * as SchedulerSdk from '@aws-sdk/client-scheduler';
import { SQSClient } from '@aws-sdk/client-sqs';
import { countRequests, type RequestCounts } from './request-count.ts';

/** A client that is loaded when it is first needed, with its module. */
export interface S3 {
  readonly client: S3Sdk.S3Client;
  readonly sdk: typeof S3Sdk;
}

export interface Scheduler {
  readonly client: SchedulerSdk.SchedulerClient;
  readonly sdk: typeof SchedulerSdk;
}

export interface EventBridge {
  readonly client: EventBridgeSdk.EventBridgeClient;
  readonly sdk: typeof EventBridgeSdk;
}

/** The clients of one process. Only what nearly every invocation uses is there from the start. */
export interface AwsClients {
  readonly dynamo: DynamoDBClient;
  readonly sqs: SQSClient;
  readonly s3: () => Promise<S3>;
  readonly scheduler: () => Promise<Scheduler>;
  readonly events: () => Promise<EventBridge>;
}

/** The one layer of retries: backing off with jitter, a second and doubling when throttled. */
const RETRIES = { retryMode: 'standard', maxAttempts: 4 } as const;

/** How long a request for a small item and for a large object may take, and how long it may stand still, in ms. */
const SMALL = {
  connectionTimeout: 1_000,
  requestTimeout: 3_000,
  socketTimeout: 3_000,
  throwOnRequestTimeout: true,
} as const;
const LARGE = { ...SMALL, requestTimeout: 30_000, socketTimeout: 10_000 } as const;

export function createAwsClients(region: string, counts: RequestCounts): AwsClients {
  const config = { region, ...RETRIES, requestHandler: SMALL };

  return {
    dynamo: countRequests(new DynamoDBClient(config), counts),
    sqs: countRequests(new SQSClient(config), counts),
    s3: once(async () => {
      const sdk = await import('@aws-sdk/client-s3');
      // A service other than AWS has no name for each bucket.
      const forcePathStyle = Boolean(process.env.AWS_ENDPOINT_URL_S3 ?? process.env.AWS_ENDPOINT_URL);
      const client = new sdk.S3Client({ ...config, requestHandler: LARGE, forcePathStyle });
      return { sdk, client: countRequests(client, counts) };
    }),
    scheduler: once(async () => {
      const sdk = await import('@aws-sdk/client-scheduler');
      return { sdk, client: countRequests(new sdk.SchedulerClient(config), counts) };
    }),
    events: once(async () => {
      const sdk = await import('@aws-sdk/client-eventbridge');
      return { sdk, client: countRequests(new sdk.EventBridgeClient(config), counts) };
    }),
  };
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

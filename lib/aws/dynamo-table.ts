import {
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  type QueryCommandInput,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import type { Item } from './stored-item.ts';
import { answered, attempt } from './vendor-errors.ts';

/** Conditions and their values. */
type Condition = Pick<UpdateItemCommandInput, 'ConditionExpression' | 'ExpressionAttributeValues'>;

/** One table, in the few ways in which it is used here. Whatever the SDK throws is translated. */
export interface DynamoTable {
  /** Puts an item where there is none; otherwise answers what is there, as far as the service said it. */
  insert(item: Item): Promise<'inserted' | { there: Item | undefined }>;
  /** Puts an item and answers whether the condition held. */
  put(item: Item, condition: Condition): Promise<boolean>;
  /** Changes an item and answers whether the condition held. */
  update(input: Omit<UpdateItemCommandInput, 'TableName'>): Promise<boolean>;
  /** Reads an item, strongly consistent. */
  get(key: Item): Promise<Item | undefined>;
  /**
   * The items of one partition whose numbers lie in a range, the greatest first, strongly consistent. With a limit it is
   * one request; `complete` says whether that was all.
   *
   * A query is no snapshot: upwards it could pass a place before an item came there and then see its successor. Downwards
   * it comes to a place after it has seen the successor, and so never reads a gap.
   */
  down(range: { partition: string; from: number; to: number; limit?: number }): Promise<Down>;
  /** Items of an index, in pages, eventually consistent, until there are `enough`. */
  search(input: Omit<QueryCommandInput, 'TableName'>, enough: number): Promise<Item[]>;
}

interface Down {
  readonly items: Item[];
  readonly complete: boolean;
}

export function dynamoTable(client: DynamoDBClient, name: string): DynamoTable {
  const what = `the table ${name}`;

  async function query(input: Omit<QueryCommandInput, 'TableName'>) {
    const answer = await attempt(what, (until) =>
      client.send(new QueryCommand({ ...input, TableName: name }), until),
    );
    return { items: answer.Items ?? [], last: answer.LastEvaluatedKey };
  }

  return {
    async insert(item) {
      const command = new PutItemCommand({
        TableName: name,
        Item: item,
        ConditionExpression: 'attribute_not_exists(p)',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      });
      const failed = await unlessHeld(() => attempt(what, (until) => client.send(command, until)));
      return failed ? { there: failed.Item } : 'inserted';
    },

    async put(item, condition) {
      const command = new PutItemCommand({ TableName: name, Item: item, ...condition });
      return !(await unlessHeld(() => attempt(what, (until) => client.send(command, until))));
    },

    async update(input) {
      const command = new UpdateItemCommand({ ...input, TableName: name });
      return !(await unlessHeld(() => attempt(what, (until) => client.send(command, until))));
    },

    async get(key) {
      const command = new GetItemCommand({ TableName: name, Key: key, ConsistentRead: true });
      return (await attempt(what, (until) => client.send(command, until))).Item;
    },

    async down({ partition, from, to, limit }) {
      const input: Omit<QueryCommandInput, 'TableName'> = {
        KeyConditionExpression: 'p = :p AND s BETWEEN :from AND :to',
        ExpressionAttributeValues: {
          ':p': { S: partition },
          ':from': { N: `${from}` },
          ':to': { N: `${to}` },
        },
        ConsistentRead: true,
        ScanIndexForward: false,
        ...(limit !== undefined && { Limit: limit }),
      };
      let { items, last } = await query(input);
      while (last && limit === undefined) {
        const page = await query({ ...input, ExclusiveStartKey: last });
        items = [...items, ...page.items];
        last = page.last;
      }
      return { items, complete: last === undefined };
    },

    async search(input, enough) {
      let { items, last } = await query(input);
      while (last && items.length < enough) {
        const page = await query({ ...input, ExclusiveStartKey: last });
        items = [...items, ...page.items];
        last = page.last;
      }
      return items;
    },
  };
}

/** Writes, and gives what the service said if the condition did not hold. */
async function unlessHeld(write: () => Promise<unknown>): Promise<{ Item?: Item } | undefined> {
  try {
    await write();
    return undefined;
  } catch (error) {
    const failed = answered(error, 'ConditionalCheckFailedException');
    if (failed) return failed as { Item?: Item };
    throw error;
  }
}

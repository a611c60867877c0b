import type { Inbox, InboxEntry } from '../ports/inbox.ts';
import type { DynamoTable } from './dynamo-table.ts';
import { partitionOf } from './key-names.ts';
import { textOf, withText } from './stored-item.ts';

/** The inbox in DynamoDB: one item per entry under its number. */
export function dynamoInbox(table: DynamoTable): Inbox {
  return {
    async append(run, { number, ...entry }) {
      const key = { p: { S: partitionOf(run) }, s: { N: `${number}` } };
      const put = await table.insert(withText(key, 'e', JSON.stringify(entry)));
      return put === 'inserted' ? 'appended' : 'taken';
    },

    async read(run, from) {
      const range = { partition: partitionOf(run), from, to: Number.MAX_SAFE_INTEGER };
      const { items } = await table.down(range);
      return items.reverse().map(({ s, e }) => {
        const entry = JSON.parse(textOf(e) ?? '') as Omit<InboxEntry, 'number'>;
        return { number: Number(s?.N), ...entry };
      });
    },
  };
}

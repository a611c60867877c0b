import { StepfoldError } from '../core/errors.ts';
import type { Decision, Decisions } from '../ports/decisions.ts';
import type { RunKey } from '../ports/run-key.ts';
import type { DynamoTable } from './dynamo-table.ts';
import { partitionOf } from './key-names.ts';
import { type Item, textOf, withText } from './stored-item.ts';

/** Decision slots in DynamoDB: an item is put where there is none and never changed. */
export function dynamoDecisions(table: DynamoTable): Decisions {
  return {
    async put(run, decision) {
      const key = keyOf(run, decision.interruptId);
      const put = await table.insert(withText(key, 'e', JSON.stringify(decision)));
      if (put === 'inserted') return { won: true, holds: decision };
      const there = put.there ?? (await table.get(key));
      if (there) return { won: false, holds: toDecision(there) };
      throw new StepfoldError(
        'decision_gone',
        `expected the slot ${decision.interruptId} of run ${run.runId} to hold the decision that was there before; ` +
          'it is empty. The run is being erased.',
      );
    },

    async get(run, interruptId) {
      const item = await table.get(keyOf(run, interruptId));
      return item && toDecision(item);
    },
  };
}

function keyOf(run: RunKey, interruptId: string): Item {
  return { p: { S: partitionOf(run) }, s: { S: interruptId } };
}

function toDecision(item: Item): Decision {
  return JSON.parse(textOf(item.e) ?? '') as Decision;
}

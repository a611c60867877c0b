import { gunzipSync, gzipSync } from 'node:zlib';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { StepfoldError } from '../core/errors.ts';

/** An item as DynamoDB takes it: values with their types. */
export type Item = Record<string, AttributeValue>;

/** The greatest item that is sent, in bytes: the 400 KB that DynamoDB takes, less a little, as it counts numbers only about. */
const LARGEST = 409_500;
const WRITE_UNIT = 1_024;

/**
 * Adds a text to an item, compressed where that saves a write unit.
 *
 * @throws StepfoldError `item_too_large` when the item cannot be stored even so.
 */
export function withText(item: Item, name: string, text: string): Item {
  const plain = { ...item, [name]: { S: text } };
  const size = sizeOf(plain);
  if (size <= WRITE_UNIT) return plain;
  const packed = { ...item, [name]: { B: gzipSync(text) } };
  const smallest = unitsOf(sizeOf(packed)) < unitsOf(size) ? packed : plain;
  if (sizeOf(smallest) <= LARGEST) return smallest;
  throw new StepfoldError(
    'item_too_large',
    `expected an item of at most ${LARGEST} bytes, compressed where that helps; got ${sizeOf(smallest)}. ` +
      'Make fewer calls at once or pass large values as what the run can fetch.',
    { details: { bytes: sizeOf(smallest) } },
  );
}

/** The text that {@link withText} was given; undefined where there is none. */
export function textOf(value: AttributeValue | undefined): string | undefined {
  return value?.B ? gunzipSync(value.B).toString() : value?.S;
}

/** The bytes of an item as DynamoDB counts them. */
export function sizeOf(item: Item): number {
  return Object.entries(item).reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name) + bytesOf(value),
    0,
  );
}

/** The write units that an item of this size costs. */
function unitsOf(size: number): number {
  return Math.ceil(size / WRITE_UNIT);
}

/** A number counts about one byte for each two digits that matter, one more, and another for a minus. */
function bytesOf({ S, N, B }: AttributeValue): number {
  if (S !== undefined) return Buffer.byteLength(S);
  if (B !== undefined) return B.length;
  const digits = (N ?? '').replace(/\D/g, '').replace(/^0+|0+$/g, '');
  return Math.ceil(digits.length / 2) + 1 + (N?.startsWith('-') ? 1 : 0);
}

import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { sha256 } from '../core/hash.ts';

const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A ulid as the 16 bytes that it stands for; any other text stays as it is. */
export function packUlid(id: string): AttributeValue {
  if (!ULID.test(id)) return { S: id };
  let bits = 0n;
  for (const digit of id) bits = (bits << 5n) | BigInt(DIGITS.indexOf(digit));
  return { B: Buffer.from(bits.toString(16).padStart(32, '0'), 'hex') };
}

/** The id that {@link packUlid} was given. */
export function unpackUlid({ S, B }: AttributeValue): string {
  if (!B) return S ?? '';
  let bits = BigInt(`0x${Buffer.from(B).toString('hex')}`);
  let id = '';
  for (; id.length < 26; bits >>= 5n) id = DIGITS.charAt(Number(bits & 31n)) + id;
  return id;
}

/** A UUID, which SQS gives to messages, as its 16 bytes; any other text stays as it is. */
export function packUuid(id: string): AttributeValue {
  return UUID.test(id) ? { B: Buffer.from(id.replaceAll('-', ''), 'hex') } : { S: id };
}

/** The id that {@link packUuid} was given. */
export function unpackUuid({ S, B }: AttributeValue): string {
  if (!B) return S ?? '';
  return Buffer.from(B)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** How much of a hash is kept: enough to miss no accident. */
const HASH_BYTES = 6;

/** The hash of a text as its first bytes, since it can be made again; any other hash stays as it is. */
export function packHash(hash: string, text: string): AttributeValue {
  return hash === sha256(text) ? { B: Buffer.from(hash, 'hex').subarray(0, HASH_BYTES) } : { S: hash };
}

/** The hash that {@link packHash} was given; where the text is not the one it was given, a hash that does not fit it. */
export function unpackHash({ S, B }: AttributeValue, text: string): string {
  if (!B) return S ?? '';
  const [kept, whole] = [Buffer.from(B).toString('hex'), sha256(text)];
  return whole.startsWith(kept) ? whole : kept;
}
